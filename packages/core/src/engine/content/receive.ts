import { StorageError } from '../../errors.js';
import { type MemoryShare, UNCOUNTED_BYTES } from '../concurrency/memory-share.js';
import { type Adoption, adopt } from '../garbage/reservations.js';
import { discard } from '../garbage/sweep.js';
import type { Content, Segments } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { Reservation } from '../records/tombstones.js';
import { newId, type Store } from '../store.js';
import { startingWith } from './chunks.js';
import {
  type Digests,
  digester,
  digestsOf,
  type ExpectedDigests,
  requireDigests,
} from './digests.js';
import { GrowingBuffer } from './growing-buffer.js';

/** Bytes on their way in. */
export interface Body {
  readonly source: AsyncIterable<Uint8Array>;
  /** What the client announced. Undefined for a chunked body. */
  readonly length: number | undefined;
  /** All bytes at once: for few of them that is faster. */
  readonly whole?: (() => Promise<Uint8Array>) | undefined;
  /** The CRC-32C of the bytes when they are all there, where the client asks for it. */
  readonly crc32c?: () => bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A body without bytes. */
export const NOTHING: Body = { source: { async *[Symbol.asyncIterator]() {} }, length: 0 };

export interface ReceiveOptions {
  /** The largest body in bytes. */
  readonly limit: number;
  readonly expected: ExpectedDigests;
  /** Up to this many bytes stay in memory. 0: all go to a blob. */
  readonly memory: number;
  /** Counts those that stay. The caller releases it when they are not needed any more. */
  readonly share?: MemoryShare;
  /** Sees each chunk as it passes. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

/** Bytes that arrived whole: few in memory, or durable in a blob that no record names yet. */
export interface Received {
  readonly size: number;
  readonly digests: Digests;
  readonly bytes: Uint8Array | undefined;
  readonly reserved: readonly Reservation[];
}

/**
 * Takes a body in: few bytes stay in memory, more go to a blob as they come.
 * Throws EntityTooLarge, RequestTimeout (shorter than announced) and BadDigest; then nothing stays.
 */
export async function receive(
  store: Store,
  body: Body,
  options: ReceiveOptions,
): Promise<Received> {
  const { limit, memory, share } = options;
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  const atOnce = share === undefined ? memory : Math.min(memory, UNCOUNTED_BYTES);
  if (body.whole !== undefined && body.length !== undefined && body.length <= atOnce) {
    return inMemory(await body.whole(), body.length, options);
  }
  const meter = new Meter(body, options);
  const chunks = meter.chunks();
  const head = new GrowingBuffer(Math.min(memory, body.length ?? memory));
  for (;;) {
    const { done, value: chunk } = await chunks.next();
    if (done) break;
    if (meter.size <= memory && share?.take(chunk.length) !== false) {
      head.add(chunk);
      continue;
    }
    share?.release();
    const first = head.size === 0 ? [chunk] : [head.bytes, chunk];
    return toBlob(store, body, meter, startingWith(first, chunks)).catch((error) => {
      // Where no blob could be begun, nobody has read on, nor ended the source. This failure is the
      // one that counts, and does not wait for bytes that are still awaited.
      chunks.return(undefined).catch(() => {});
      throw error;
    });
  }
  return { size: meter.size, digests: meter.finish(), bytes: head.bytes, reserved: [] };
}

function inMemory(bytes: Uint8Array, length: number, options: ReceiveOptions): Received {
  if (bytes.length !== length) throw tooShort(bytes.length, length);
  options.onChunk?.(bytes);
  const digests = digestsOf(bytes, options.expected);
  requireDigests(options.expected, digests);
  return { size: length, digests, bytes, reserved: [] };
}

async function toBlob(
  store: Store,
  body: Body,
  meter: Meter,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const reserved = [await writeBlob(store, bytes, body.signal)];
  return orDiscard(store, { reserved }, async () => {
    const digests = meter.finish();
    return { size: meter.size, digests, bytes: undefined, reserved };
  });
}

/** Writes a blob that no record names yet. */
export async function writeBlob(
  store: Store,
  source: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<Reservation> {
  const reserved = await store.reservedIds.take(1);
  const [reservation] = reserved as [Reservation];
  return orDiscard(store, { reserved }, async () => {
    await store.blobs.write(reservation.id, source, { signal });
    return reservation;
  });
}

/** Bytes as the content of a record. */
export interface Adopted<C extends Content = Content> extends Adoption {
  readonly content: C;
}

/** Received bytes as the content of an object: few of them go to a record. */
export function adopted(received: Received): Adopted {
  const { bytes } = received;
  if (bytes === undefined || bytes.length === 0) return adoptedSegments(received);
  const inline = newId();
  const content = { inline, crc32: received.digests.crc32 };
  return { content, change: inlineRecords.put(inline, bytes), reserved: [] };
}

/** The same for bytes that went to a blob. */
export function adoptedSegments(received: Received): Adopted<Segments> {
  const { size, digests, reserved } = received;
  const { crc32 } = digests;
  const segments = reserved.map(({ id }) => ({ blob: id, offset: 0, length: size, crc32 }));
  return { content: { segments }, change: adopt(reserved), reserved };
}

/**
 * Runs what is to make received bytes visible, and removes them again when it fails. That is
 * harmless also when the outcome of a commit is unknown: bytes that a record names stay.
 */
export async function orDiscard<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await discard(store, received.reserved);
    throw error;
  }
}

/** The same for the last step: however it ends, the bytes are not arriving any more. */
export async function land<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await orDiscard(store, received, use);
  } finally {
    for (const { id } of received.reserved) store.arriving.delete(id);
  }
}

/** Counts and hashes bytes as they pass, and ends in an error when they are too many or too few. */
class Meter {
  size = 0;
  readonly #body: Body;
  readonly #options: ReceiveOptions;
  readonly #digester: ReturnType<typeof digester>;

  constructor(body: Body, options: ReceiveOptions) {
    this.#body = body;
    this.#options = options;
    this.#digester = digester(options.expected);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { limit, onChunk } = this.#options;
    const { source, length } = this.#body;
    for await (const chunk of source) {
      if (chunk.length === 0) continue;
      this.size += chunk.length;
      if (this.size > limit) throw tooLarge(limit);
      this.#digester.update(chunk);
      onChunk?.(chunk);
      yield chunk;
    }
    if (length !== undefined && this.size !== length) {
      throw tooShort(this.size, length);
    }
  }

  finish(): Digests {
    const digests = this.#digester.done();
    requireDigests(this.#options.expected, digests);
    return digests;
  }
}

const tooShort = (size: number, length: number) =>
  new StorageError('RequestTimeout', `The body has ${size} bytes, but ${length} were announced.`);

const tooLarge = (limit: number) =>
  new StorageError('EntityTooLarge', `The body may have at most ${limit} bytes.`);
