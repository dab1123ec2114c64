import { BlobUnsettledError } from '../../contracts/blob-store.js';
import { StorageError } from '../../errors.js';
import { type MemoryShare, UNCOUNTED_BYTES } from '../concurrency/memory-share.js';
import { type Adoption, adopt } from '../garbage/reservations.js';
import { discard } from '../garbage/sweep.js';
import type { Checksum } from '../records/checksums.js';
import type { Content, Segments } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { Reservation } from '../records/tombstones.js';
import { newId, type Store } from '../store.js';
import { RunningChecksums } from './checksums.js';
import { startingWith } from './chunks.js';
import {
  type Digests,
  digester,
  digestsOf,
  type ExpectedDigests,
  requireDigests,
} from './digests.js';
import { GrowingBuffer } from './growing-buffer.js';

/** An incoming body. */
export interface Body {
  readonly source: AsyncIterable<Uint8Array>;
  /** The announced length. Undefined for a chunked body. */
  readonly length: number | undefined;
  /** All bytes at once, which is faster for a small body. Undefined: only `source` has them. */
  whole?(): Promise<Uint8Array> | undefined;
  /** Compares the checksums of the complete data with those that were announced after it. */
  verify?(checksums: readonly Checksum[]): void;
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
  /** Counts the bytes in memory. The caller releases them when they are no longer needed. */
  readonly share?: MemoryShare;
  /** Sees each chunk as it passes. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

/**
 * A body that arrived completely: in memory if small, otherwise durable in a blob that no record
 * names yet.
 */
export interface Received {
  readonly size: number;
  readonly digests: Digests;
  readonly bytes: Uint8Array | undefined;
  readonly reserved: readonly Reservation[];
}

/**
 * Receives a body: a small one stays in memory, a larger one is written to a blob as it arrives.
 * Throws EntityTooLarge, RequestTimeout (shorter than announced) and BadDigest; then nothing is
 * stored.
 */
export async function receive(
  store: Store,
  body: Body,
  options: ReceiveOptions,
): Promise<Received> {
  const { limit, memory, share } = options;
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  const { checksums } = options.expected;
  const running = checksums && (await RunningChecksums.start(checksums));
  const atOnce = share === undefined ? memory : Math.min(memory, UNCOUNTED_BYTES);
  if (body.length !== undefined && body.length <= atOnce) {
    const whole = body.whole?.();
    if (whole !== undefined) return inMemory(await whole, body, options, running);
  }
  const meter = new Meter(body, options, running);
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
      // If no blob could be created, the source was neither read further nor closed. This failure
      // is reported, and does not wait for the rest of the body.
      chunks.return(undefined).catch(() => {});
      throw error;
    });
  }
  return { size: meter.size, digests: meter.finish(), bytes: head.bytes, reserved: [] };
}

function inMemory(
  bytes: Uint8Array,
  body: Body,
  { onChunk, expected }: ReceiveOptions,
  running: RunningChecksums | undefined,
): Received {
  const { length = 0 } = body;
  if (bytes.length !== length) throw tooShort(bytes.length, length);
  onChunk?.(bytes);
  const digests = digestsOf(bytes, expected, running);
  requireDigests(expected, digests);
  body.verify?.(digests.checksums);
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

/** Data as the content of a record. */
export interface Adopted<C extends Content = Content> extends Adoption {
  readonly content: C;
}

/** Received data as the content of an object. Small data goes to a record. */
export function adopted(received: Received): Adopted {
  const { bytes } = received;
  if (bytes === undefined || bytes.length === 0) return adoptedSegments(received);
  const inline = newId();
  const content = { inline, crc32: received.digests.crc32 };
  return { content, change: inlineRecords.put(inline, bytes), reserved: [] };
}

/** The same for data that was written to a blob. */
export function adoptedSegments(received: Received): Adopted<Segments> {
  const { size, digests, reserved } = received;
  const { crc32 } = digests;
  const segments = reserved.map(({ id }) => ({ blob: id, offset: 0, length: size, crc32 }));
  return { content: { segments }, change: adopt(reserved), reserved };
}

/**
 * Runs the commit that makes received data visible, and removes the data when it fails. That is
 * harmless even when the outcome of the commit is unknown: data that a record names stays.
 */
export async function orDiscard<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    // What may still arrive after it was removed keeps its tombstones until they are due.
    if (error instanceof BlobUnsettledError) release(store, received.reserved);
    else await discard(store, received.reserved);
    throw error;
  }
}

/**
 * The same for the last step. After it, the data no longer counts as arriving, whatever the
 * outcome.
 */
export async function land<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await orDiscard(store, received, use);
  } finally {
    release(store, received.reserved);
  }
}

function release({ arriving }: Store, reserved: readonly Reservation[]): void {
  for (const { id } of reserved) arriving.delete(id);
}

/** Counts and hashes data as it passes, and fails when there is too much or too little. */
class Meter {
  size = 0;
  readonly #body: Body;
  readonly #options: ReceiveOptions;
  readonly #digester: ReturnType<typeof digester>;

  constructor(body: Body, options: ReceiveOptions, running: RunningChecksums | undefined) {
    this.#body = body;
    this.#options = options;
    this.#digester = digester(options.expected, running);
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
    this.#body.verify?.(digests.checksums);
    return digests;
  }
}

const tooShort = (size: number, length: number) =>
  new StorageError('RequestTimeout', `The body has ${size} bytes, but ${length} were announced.`);

const tooLarge = (limit: number) =>
  new StorageError('EntityTooLarge', `The body may have at most ${limit} bytes.`);
