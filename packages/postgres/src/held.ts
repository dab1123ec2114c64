import type { Step } from './changes.js';

/**
 * Marks a key that a running change writes. Any other value is the number of running changes that
 * only have expectations about the key.
 */
const WRITTEN = -1;

/** The keys of running changes. Either one of them writes a key, or several have expectations. */
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
