// The program of a thread that hashes the data of large bodies, several at a time.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Hashed, Wanted } from '../hashing.js';
import { RunningChecksums } from './checksums.js';
import { digester } from './digests.js';
import type { HashAnswer, HashRequest } from './hash-messages.js';
import { RunningDigests } from './whole-digests.js';

class Hashing {
  readonly #digester: ReturnType<typeof digester>;
  readonly #whole: RunningDigests | undefined;

  static async start({ sha256, checksums, whole }: Wanted): Promise<Hashing> {
    const others = checksums && (await RunningChecksums.start(checksums));
    return new Hashing(digester(sha256, others), whole && (await RunningDigests.start(whole)));
  }

  private constructor(digests: ReturnType<typeof digester>, whole: RunningDigests | undefined) {
    this.#digester = digests;
    this.#whole = whole;
  }

  update(bytes: Uint8Array): void {
    this.#digester.update(bytes);
    this.#whole?.update(bytes);
  }

  done(): Hashed {
    return { digests: this.#digester.done(), whole: this.#whole?.done() };
  }
}

const port = parentPort as MessagePort;
const slots = (workerData as SharedArrayBuffer[]).map((memory) => Buffer.from(memory));
const bodies = new Map<number, Promise<Hashing>>();
const answer = (message: HashAnswer): void => port.postMessage(message);

// Requests of one body are handled in order, because each waits for the same promise. A failure
// ends the thread and fails its bodies.
port.on('message', async (request: HashRequest) => {
  const { kind, id } = request;
  if (kind === 'begin') {
    bodies.set(id, Hashing.start(request.wanted));
    return;
  }
  const body = bodies.get(id) as Promise<Hashing>;
  if (kind !== 'update') bodies.delete(id);
  const hashing = await body;
  if (kind === 'update') {
    const { slot, length } = request;
    hashing.update((slots[slot] as Buffer).subarray(0, length));
    answer({ kind: 'hashed', id, slot });
  } else if (kind === 'end') {
    answer({ kind: 'ended', id, hashed: hashing.done() });
  }
});
answer({ kind: 'ready' });
