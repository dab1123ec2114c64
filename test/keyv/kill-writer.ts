import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Place } from './kill-place.js';

const main = fileURLToPath(new URL('./kill-worker.js', import.meta.url));

/** A process that writes until it is killed. */
export class Writer {
  readonly name: string;
  /** The lines that it reported. */
  readonly lines: string[] = [];
  readonly #child;
  readonly #closed: Promise<unknown>;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(place: Place, name: string, seat: number) {
    this.name = name;
    const args = [main, JSON.stringify(place), name, String(seat)];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    // The process may end before it reads its input.
    this.#child.stdin.on('error', () => undefined);
    // By then, all output has been read.
    this.#closed = once(this.#child, 'close');
    createInterface(this.#child.stdout).on('line', (line) => {
      this.lines.push(line);
      for (const { count, resolve } of this.#waiting) if (count <= this.lines.length) resolve();
    });
  }

  /** Resolves when it has reported this many lines or has ended. The first line is `ready`. */
  async reported(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    if (count > this.lines.length) await Promise.race([reached, this.#closed]);
  }

  start(): void {
    this.#child.stdin.write('start\n');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}
