import { Readable } from 'node:stream';
import { BlobNotShareableError, BlobUnsettledError } from '../../contracts/blob-store.js';
import { inParallel } from '../concurrency/parallel.js';
import { createYielder } from '../concurrency/yielder.js';
import { type Span, segmentsToRead, wholeOf } from '../content/content.js';
import type { ContentName } from '../content/damage.js';
import {
  openContent,
  readInline,
  readPieces,
  requireSize,
  type Sized,
} from '../content/reading.js';
import { type Adopted, adoptedSegments, discardOnFailure, receive } from '../content/receive.js';
import { stopOnAbort } from '../content/stop-on-abort.js';
import { adopt, reserveManifest } from '../garbage/reservations.js';
import type { Digests } from '../hashing.js';
import type { ChecksumAlgorithm } from '../records/checksums.js';
import type { Segment, Segments } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import { pack } from '../records/manifest.js';
import { manifestRecords } from '../records/manifests.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Reservation } from '../records/tombstones.js';
import { newId, type Store } from '../store.js';
import { mergeChanges } from '../transaction.js';

/** The number of blobs that are shared at the same time. */
const AT_ONCE = 16;

/** What is copied, and for whom. */
export interface CopySource {
  readonly store: Store;
  readonly name: ContentName;
  /** Aborts when the client disconnects: then nothing is created. */
  readonly signal: AbortSignal | undefined;
  /** Runs a task that reads data when it is this caller's turn. */
  readonly reading: <T>(task: () => Promise<T>) => Promise<T>;
}

/** What is copied on behalf of a call. */
export const copyingFor = (
  call: Pick<CopySource, 'store' | 'reading'> & { signal(): AbortSignal | undefined },
  name: ContentName,
): CopySource => ({
  ...{ store: call.store, name, signal: call.signal() },
  reading: (task) => call.reading(task),
});

/**
 * The data of an object in new blobs, so that source and copy can be removed independently. The
 * driver shares the data without copying, if it can. Data in a record, or in more segments than an
 * object may have, is copied.
 */
export async function shareObject(source: CopySource, object: ObjectRecord): Promise<Adopted> {
  const { store, name } = source;
  const { content, size } = object;
  if ('inline' in content) {
    const value = await readInline(store, name, content, size);
    const inline = newId();
    const change = inlineRecords.put(inline, value);
    return { content: { ...content, inline }, change, reserved: [] };
  }
  const list = await segmentsToRead(store, content);
  requireSize(name, object, list);
  const { maxSegments, segmentsInRecord } = store.settings;
  if (list.count > maxSegments) {
    return copySpan(source, object, { start: 0, end: size });
  }
  if (list.count <= segmentsInRecord) return shareSegments(source, [...list]);
  // Sharing keeps the disk as busy as reading does, and a driver may copy. Both happen in the same
  // turn.
  const within: CopySource = { ...source, reading: (task) => task() };
  return source.reading(() => shareMany(within, [...list]));
}

/** The bytes of a span, written to one blob. */
export function copySpan(
  { store, name, signal, reading }: CopySource,
  object: Sized,
  span: Span,
  algorithm?: ChecksumAlgorithm,
): Promise<Adopted<Segments> & Pick<Digests, 'md5' | 'checksums'>> {
  return reading(async () => {
    const opened = await openContent(store, name, object, span);
    const bytes = opened instanceof Readable ? opened : Readable.from([opened]);
    const length = span.end - span.start;
    const body = { source: stopOnAbort(bytes, signal), length };
    const expected = algorithm === undefined ? {} : { checksums: [{ algorithm }] };
    const received = await receive(store, body, { limit: length, memory: 0, expected });
    const { md5, checksums } = received.digests;
    return { ...adoptedSegments(received), md5, checksums };
  });
}

/** Few segments: each blob has its own tombstone. */
export async function shareSegments(
  source: CopySource,
  segments: readonly Segment[],
): Promise<Adopted<Segments>> {
  if (segments.length === 0) return { content: { segments }, change: {}, reserved: [] };
  source.signal?.throwIfAborted();
  const blobs = new Set(segments.map(({ blob }) => blob));
  const reserved = await source.store.reservedIds.take(blobs.size);
  const copies = new Map(Array.from(blobs, (blob, at) => [blob, (reserved[at] as Reservation).id]));
  return discardOnFailure(source.store, { reserved }, async () => {
    const { shared } = await share(source, segments, copies, new Set());
    return { content: { segments: shared }, change: adopt(reserved), reserved };
  });
}

/**
 * Many segments: the manifest of the copy is written first, and one tombstone covers all blobs that
 * it names.
 */
async function shareMany(source: CopySource, segments: readonly Segment[]): Promise<Adopted> {
  const yieldIfDue = createYielder();
  const manifest = newId();
  const copies: Copies = new Map(segments.map(({ blob }) => [blob, newId()]));
  await yieldIfDue();
  const planned = pack(renamed(segments, copies));
  await yieldIfDue();
  source.signal?.throwIfAborted();
  const made = new Set<string>();
  const reserved = [await reserveManifest(source.store, manifest, planned, made)];
  return discardOnFailure(source.store, { reserved }, async () => {
    const { shared, moved } = await share(source, segments, copies, made);
    const rewritten = moved ? manifestRecords.put(manifest, pack(shared)) : {};
    const change = mergeChanges(adopt(reserved), rewritten);
    return { content: { manifest, segments: [] }, change, reserved };
  });
}

/** The new id of each blob. */
type Copies = ReadonlyMap<string, string>;

const renamed = (segments: readonly Segment[], copies: Copies): Segment[] =>
  segments.map((segment) => ({ ...segment, blob: copies.get(segment.blob) as string }));

/**
 * Gives each blob a second id. If a blob cannot be shared, the data of its segments is copied and
 * verified, and `moved` is true. The last blob of an appendable object may grow, but only beyond
 * the data that the segments name. `made` collects the ids of all blobs that may exist from then
 * on.
 */
async function share(
  source: CopySource,
  segments: readonly Segment[],
  copies: Copies,
  made: Set<string>,
): Promise<{ readonly shared: readonly Segment[]; readonly moved: boolean }> {
  const { store, signal, reading } = source;
  const refused = new Set<string>();
  const needed = new Map<string, number>();
  for (const { blob, length } of segments) needed.set(blob, (needed.get(blob) ?? 0) + length);
  const yieldIfDue = createYielder();
  const shareOne = async ([blob, as]: readonly [blob: string, as: string]): Promise<void> => {
    signal?.throwIfAborted();
    await yieldIfDue();
    made.add(as);
    await store.blobs.share(blob, as, needed.get(blob)).catch((error: unknown) => {
      if (!(error instanceof BlobNotShareableError)) throw error;
      refused.add(blob);
    });
  };
  await inParallel(copies, AT_ONCE, shareOne, unsettledFirst);
  const shared = renamed(segments, copies);
  if (refused.size === 0) return { shared, moved: false };
  const own = new Map<string, Segment[]>();
  segments.forEach((segment, at) => {
    const { blob } = segment;
    if (!refused.has(blob)) return;
    const before = own.get(blob) ?? [];
    const offset = before.reduce((sum, { length }) => sum + length, 0);
    shared[at] = { ...(shared[at] as Segment), offset };
    own.set(blob, [...before, segment]);
  });
  const moveOne = async ([blob, pieces]: readonly [string, readonly Segment[]]): Promise<void> => {
    const bytes = readPieces(store, source.name, pieces.map(wholeOf));
    await store.blobs.write(copies.get(blob) as string, stopOnAbort(bytes, signal));
  };
  await reading(() => inParallel(own, AT_ONCE, moveOne, unsettledFirst));
  return { shared, moved: true };
}

/**
 * A blob that may still appear decides what happens to all of them, even if another failed first.
 */
const unsettledFirst = (failures: readonly unknown[]): unknown =>
  failures.find((error) => error instanceof BlobUnsettledError) ?? failures[0];
