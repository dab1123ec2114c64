import { BlobUnsettledError } from '../../contracts/blob-store.js';
import { UNCOUNTED_BYTES } from '../concurrency/memory-share.js';
import { type Adoption, adopt } from '../garbage/reservations.js';
import { discard } from '../garbage/sweep.js';
import type { Digests } from '../hashing.js';
import type { Content, Segments } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { Reservation } from '../records/tombstones.js';
import { newId, type Store } from '../store.js';
import type { Body, ReceiveOptions } from './body.js';
import { RunningChecksums } from './checksums.js';
import { startingWith } from './chunks.js';
import { digestsOf, requireDigests } from './digests.js';
import { GrowingBuffer } from './growing-buffer.js';
import { Meter, tooLarge, tooShort } from './meter.js';

export { type Body, NOTHING } from './body.js';

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
  const atOnce = share === undefined ? memory : Math.min(memory, UNCOUNTED_BYTES);
  if (body.length !== undefined && body.length <= atOnce) {
    const whole = body.whole?.();
    if (whole !== undefined) return inMemory(await whole, body, options);
  }
  const meter = new Meter(store, body, options);
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
      // If no blob could be created, the source was neither read to the end nor closed. The failure
      // is reported without waiting for the rest of the body.
      chunks.return(undefined).catch(() => {});
      throw error;
    });
  }
  return { size: meter.size, digests: await meter.finish(), bytes: head.bytes, reserved: [] };
}

/** Reads a body only for its size and digests. Throws what `receive` throws. */
export async function readThrough(
  store: Store,
  body: Body,
  options: Pick<ReceiveOptions, 'limit' | 'expected'>,
): Promise<Pick<Received, 'size' | 'digests'>> {
  const meter = new Meter(store, body, { ...options, memory: 0 });
  for await (const _ of meter.chunks());
  return { size: meter.size, digests: await meter.finish() };
}

async function inMemory(
  bytes: Uint8Array,
  body: Body,
  { whole, expected }: ReceiveOptions,
): Promise<Received> {
  const { checksums } = expected;
  const running = checksums && (await RunningChecksums.start(checksums));
  const { length = 0 } = body;
  if (bytes.length !== length) throw tooShort(bytes.length, length);
  whole?.update(bytes);
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
  return discardOnFailure(store, { reserved }, async () => {
    const digests = await meter.finish();
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
  return discardOnFailure(store, { reserved }, async () => {
    await store.blobs.write(reservation.id, source, { signal });
    return reservation;
  });
}

/** Data in the form of a record's content. */
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
export async function discardOnFailure<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    // Blobs that may still appear after their removal keep their tombstones until these are due.
    if (error instanceof BlobUnsettledError) release(store, received.reserved);
    else await discard(store, received.reserved);
    throw error;
  }
}

/**
 * The same for the last step, after which the data no longer counts as arriving, whatever the
 * outcome.
 */
export async function land<T>(
  store: Store,
  received: Pick<Received, 'reserved'>,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await discardOnFailure(store, received, use);
  } finally {
    release(store, received.reserved);
  }
}

function release({ arriving }: Store, reserved: readonly Reservation[]): void {
  for (const { id } of reserved) arriving.delete(id);
}
