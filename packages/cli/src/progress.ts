import type { Ora } from 'ora';
import { bytes, counted, printable } from './text.js';

const WIDTH = 24;
const REDRAW_MS = 100;
/** The period over which the rate is measured, in milliseconds. */
const WINDOW = 5_000;

/** The progress of long work, on one line of the terminal. */
export class Progress {
  files = 0;
  /** `undefined` until it is known. */
  totalFiles: number | undefined;
  totalBytes: number | undefined;
  readonly #label: string;
  readonly #noun: string;
  #spinner: Ora | undefined;
  #ended = false;
  readonly #start = Date.now();
  #bytes = 0;
  #drawn = 0;
  #seen: { at: number; bytes: number }[] = [];

  constructor(label: string, { noun, shown }: { noun: string; shown: boolean }) {
    this.#label = printable(label);
    this.#noun = noun;
    if (shown) void this.#begin();
  }

  /** Loaded only when there is a terminal. */
  async #begin(): Promise<void> {
    const { default: ora } = await import('ora');
    if (this.#ended) return;
    // Standard input is left unchanged: Ctrl-C must reach the process, and `cp -` reads it.
    const options = { text: this.#label, stream: process.stderr, discardStdin: false };
    this.#spinner = ora(options).start();
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds bytes to the count. */
  add(more: number): void {
    this.set(this.#bytes + more);
  }

  /** Sets the total count of bytes. */
  set(done: number): void {
    this.#bytes = done;
    this.draw();
  }

  /** Draws the current state, unless that was done a moment ago. */
  draw(): void {
    const now = Date.now();
    if (this.#spinner === undefined || now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    this.#seen.push({ at: now, bytes: this.#bytes });
    while ((this.#seen[0]?.at ?? now) < now - WINDOW) this.#seen.shift();
    this.#spinner.text = this.#line(now);
  }

  /** Prints a line above the progress. */
  note(text: string): void {
    this.#spinner?.clear();
    process.stderr.write(`${printable(text)}\n`);
    this.#spinner?.render();
  }

  end(): void {
    this.#ended = true;
    this.#spinner?.stop();
  }

  #line(now: number): string {
    const { totalBytes: total, totalFiles } = this;
    const rate = this.#rate(now);
    const parts = [this.#label];
    if (total !== undefined && total > 0) parts.push(barOf(this.#bytes / total));
    if (this.#noun !== '') {
      const of = totalFiles === undefined ? '' : ` of ${totalFiles.toLocaleString('en')}`;
      parts.push(`${counted(this.files, this.#noun)}${of}`);
    }
    parts.push(bytes(this.#bytes) + (total === undefined ? '' : ` of ${bytes(total)}`));
    parts.push(`${bytes(rate)}/s`);
    if (total !== undefined && rate > 0) {
      parts.push(`${Math.ceil(Math.max(total - this.#bytes, 0) / rate)} s left`);
    }
    // Text that does not fit on the line could not be erased.
    return parts.join('  ').slice(0, Math.max(process.stderr.columns - 4, 10));
  }

  #rate(now: number): number {
    const [first] = this.#seen;
    const since = first ?? { at: this.#start, bytes: 0 };
    return ((this.#bytes - since.bytes) * 1000) / Math.max(now - since.at, 1);
  }
}

function barOf(share: number): string {
  const done = Math.min(Math.round(share * WIDTH), WIDTH);
  return '█'.repeat(done) + '░'.repeat(WIDTH - done);
}
