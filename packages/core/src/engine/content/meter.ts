import { StorageError } from '../../errors.js';
import type { BodyHash, Digests } from '../hashing.js';
import type { Store } from '../store.js';
import type { Body, ReceiveOptions } from './body.js';
import { RunningChecksums } from './checksums.js';
import { digester, requireDigests } from './digests.js';

/** Hashing on the main thread, or on another one by {@link BodyHash}. */
interface Hashing extends Pick<BodyHash, 'update' | 'drop'> {
  done(): Digests | Promise<Digests>;
}

const NOTHING = new Uint8Array();

/** Counts and hashes data as it passes. Fails when there is too much or too little. */
export class Meter {
  size = 0;
  readonly #store: Store;
  readonly #body: Body;
  readonly #options: ReceiveOptions;
  #digests: Digests | Promise<Digests> | undefined;

  constructor(store: Store, body: Body, options: ReceiveOptions) {
    this.#store = store;
    this.#body = body;
    this.#options = options;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { source, length } = this.#body;
    let hashing: Hashing | undefined;
    try {
      for await (const chunk of source) {
        if (chunk.length === 0) continue;
        this.size += chunk.length;
        if (this.size > this.#options.limit) throw tooLarge(this.#options.limit);
        if (length !== undefined && this.size > length) throw tooLong(length);
        hashing ??= await this.#startHashing(chunk);
        const room = hashing.update(chunk);
        if (room !== undefined) await room;
        yield chunk;
      }
      if (length !== undefined && this.size !== length) throw tooShort(this.size, length);
      hashing ??= await this.#startHashing(NOTHING);
      this.#digests = hashing.done();
    } finally {
      if (this.#digests === undefined) hashing?.drop();
    }
  }

  /** Call it when all chunks were read. */
  async finish(): Promise<Digests> {
    const digests = await this.#digests;
    if (digests === undefined) throw new Error('The digests of a body are not known yet.');
    requireDigests(this.#options.expected, digests);
    this.#body.verify?.(digests.checksums);
    return digests;
  }

  async #startHashing(first: Uint8Array): Promise<Hashing> {
    const { hasher } = this.#store;
    const { length } = this.#body;
    const { expected, whole } = this.#options;
    const { sha256, checksums } = expected;
    if (hasher.isWorthwhile(length, first)) {
      const wanted = { sha256: sha256 !== undefined, checksums, whole: whole?.done() };
      const beside = await hasher.begin(wanted, length);
      if (beside !== undefined) return this.#besideMain(beside);
    }
    const others = checksums && (await RunningChecksums.start(checksums));
    const digests = digester(sha256 !== undefined, others);
    return {
      update(chunk) {
        digests.update(chunk);
        whole?.update(chunk);
        return undefined;
      },
      done: () => digests.done(),
      drop: () => {},
    };
  }

  #besideMain(hash: BodyHash): Hashing {
    const { whole: ours } = this.#options;
    const done = async () => {
      const { digests, whole } = await hash.done();
      if (whole !== undefined) await ours?.moveTo(whole);
      return digests;
    };
    return {
      update: (chunk) => hash.update(chunk),
      done() {
        const digests = done();
        digests.catch(() => {}); // It is awaited once the data is written.
        return digests;
      },
      drop: () => hash.drop(),
    };
  }
}

export const tooShort = (size: number, length: number) =>
  new StorageError('RequestTimeout', `The body has ${size} bytes, but ${length} were announced.`);

/** The rest is not read. */
const tooLong = (length: number) =>
  new StorageError('RequestTimeout', `The body has more bytes than the ${length} announced ones.`);

export const tooLarge = (limit: number) =>
  new StorageError('EntityTooLarge', `The body may have at most ${limit} bytes.`);
