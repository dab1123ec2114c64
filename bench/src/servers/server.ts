import { once } from 'node:events';
import type { Command } from '../programs/commands.js';
import { peakMemory, resetPeak } from '../run/memory.js';
import { type Running, removeDirectory, stop } from '../run/processes.js';
import type { Kind } from './kind.js';

/** A running server, its directory and its memory. */
export class Server {
  readonly kind: Kind;
  readonly port: number;
  readonly #running: Running;
  readonly #directory: string;

  constructor(kind: Kind, running: Running, directory: string) {
    this.kind = kind;
    this.port = running.port;
    this.#running = running;
    this.#directory = directory;
  }

  get #pid(): number {
    return this.#running.child.pid as number;
  }

  resetPeak(): void {
    resetPeak(this.#pid);
  }

  peakMemory(): number | undefined {
    return peakMemory(this.#pid);
  }

  /** Sends a server of the storage a command that HTTP does not offer. */
  async command(command: Command): Promise<number> {
    const { child } = this.#running;
    const answer = once(child, 'message');
    child.send(command);
    const [{ value, error }] = (await answer) as [{ value?: number; error?: string }];
    if (value === undefined) throw new Error(error);
    return value;
  }

  async stop(): Promise<void> {
    await stop(this.#running.child);
    await removeDirectory(this.#directory);
  }
}
