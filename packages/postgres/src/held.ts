import type { Step } from './changes.js';

/**
 * The key is written by one change. Any other value is the number of changes that only expect it.
 */
const WRITTEN = -1;

/** The keys of running changes. A key is written by one of them, or expected by several. */
export class Held {
  readonly #keys = new Map<string, number>();

  allows(steps: readonly Step[]): boolean {
    return steps.every(({ name, action }) => {
      const count = this.#keys.get(name);
      return count === undefined || (action === 'keep' && count !== WRITTEN);
    });
  }

  hold(steps: readonly Step[]): void {
    for (const { name, action } of steps) {
      const count = this.#keys.get(name) ?? 0;
      this.#keys.set(name, action === 'keep' && count !== WRITTEN ? count + 1 : WRITTEN);
    }
  }

  release(steps: readonly Step[]): void {
    for (const { name } of steps) {
      const count = this.#keys.get(name) ?? WRITTEN;
      if (count > 1) this.#keys.set(name, count - 1);
      else this.#keys.delete(name);
    }
  }
}
