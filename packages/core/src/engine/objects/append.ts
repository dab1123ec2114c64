import { crc32 } from 'node:zlib';
import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Change } from '../../contracts/metadata-store.js';
import { MAX_OBJECT_BYTES } from '../../limits.js';
import type { Bucket } from '../buckets/buckets.js';
import type { MemoryShare } from '../concurrency/memory-share.js';
import { wholeOf } from '../content/content.js';
import type { ContentName } from '../content/damage.js';
import { readPiece } from '../content/reading.js';
import { land, receive, writeBlob } from '../content/receive.js';
import { resume } from '../content/running-md5.js';
import { adopt, requireAdoptable } from '../garbage/reservations.js';
import type { WholeDigests } from '../hashing.js';
import type { Segment, Segments } from '../records/content.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import type { Reservation } from '../records/tombstones.js';
import type { Store } from '../store.js';
import { commit, requireAttempt, transact } from '../transaction.js';
import { withSegment } from './add-segment.js';
import { type ChangedObject, changeObject, timeOfChange } from './change.js';
import { Joiner } from './join-segments.js';
import { type Appended, atMostOnce, type NamedAppend, remembering } from './repeated-append.js';
import { requireAt } from './require-at.js';
import { once, tailOf, writeTail } from './tail.js';

export interface Append extends NamedAppend {
  readonly key: string;
  readonly offset: number;
  /** Counts the bytes that wait in memory for their commit. */
  readonly share: MemoryShare;
}

/**
 * Adds data to the end of an appendable object. Of several appends at the same offset, exactly one
 * succeeds; the others get OffsetIncorrect. No lock is held while waiting for the client.
 */
export const appendBytes = (store: Store, append: Append): Promise<Appended> =>
  atMostOnce(store, append, (arrived) => add(store, append, arrived));

async function add(
  store: Store,
  append: Append,
  arrived: (data: Pick<Segment, 'length' | 'crc32'>) => void,
): Promise<ObjectRecord> {
  const { offset, body, expected, share } = append;
  const { value: object } = await requireAt(store, append);
  const digests = await resume(store, nameOf(append), object);
  const received = await receive(store, body, {
    limit: MAX_OBJECT_BYTES - offset,
    memory: store.settings.appendMemory,
    share,
    expected,
    whole: digests,
  });
  const { size, bytes, reserved } = received;
  const data = { length: size, crc32: received.digests.crc32 };
  arrived(data);
  if (size === 0) {
    // No commit checks the bucket here, and the caller may have lost the right meanwhile.
    await append.admitted.confirm();
    return object;
  }
  const first = { object, digests: digests.done() };
  if (bytes !== undefined) {
    const digestsBehind = orAgain(store, append, first, () => once(bytes));
    return extendTail({ store, append, data, digestsBehind }, bytes);
  }
  const [own] = reserved;
  if (own === undefined) throw new Error('Bytes arrived, but no blob was written.');
  const segment = { blob: own.id, offset: 0, ...data };
  const again = () => readPiece(store, nameOf(append), wholeOf(segment));
  const digestsBehind = orAgain(store, append, first, again);
  const step = { store, append, data, digestsBehind };
  return land(store, received, () => addSegment(step, segment, reserved));
}

interface Step {
  readonly store: Store;
  readonly append: Append;
  readonly data: Pick<Segment, 'length' | 'crc32'>;
  readonly digestsBehind: (object: ObjectRecord) => Promise<WholeDigests>;
}

/**
 * The digests of an object with the added data. If an object of the same size has replaced it
 * meanwhile, the added data is hashed again, after that object's data.
 */
function orAgain(
  store: Store,
  append: Append,
  first: { readonly object: ObjectRecord; readonly digests: WholeDigests },
  again: () => AsyncIterable<Uint8Array>,
): Step['digestsBehind'] {
  return async (object) => {
    const { md5, crc32 } = first.object;
    if (object.md5 === md5 && object.crc32 === crc32) return first.digests;
    const digests = await resume(store, nameOf(append), object);
    for await (const chunk of again()) digests.update(chunk);
    return digests.done();
  };
}

async function grown(step: Step, from: ObjectRecord, content: Segments): Promise<ObjectRecord> {
  const { store, append, data, digestsBehind } = step;
  const { state, ...whole } = await digestsBehind(from);
  const size = append.offset + data.length;
  const after = { size, etag: whole.md5, crc32: whole.crc32 };
  const made = remembering(from, append.name, data, after);
  return {
    ...from,
    ...whole,
    checksum: undefined,
    etag: whole.md5,
    size,
    lastModified: timeOfChange(store, from),
    content,
    append: { md5: state, writer: store.writer, ...made },
  };
}

/**
 * Writes after the committed end of the last blob, if this opening of the storage created the blob.
 * Bytes that a crash leaves there are beyond the length in the record, and the next append
 * overwrites them.
 */
async function extendTail(step: Step, bytes: Uint8Array): Promise<ObjectRecord> {
  const { store, append } = step;
  const { admitted } = append;
  for (let attempt = 0; ; attempt++) {
    requireAttempt(attempt, () => append.body.signal);
    const tail = tailOf(store, (await requireAt(store, append)).value);
    if (tail === undefined) {
      const written = await writeBlob(store, once(bytes));
      const segment = { blob: written.id, offset: 0, ...step.data };
      return land(store, { reserved: [written] }, () => addSegment(step, segment, [written]));
    }
    // The app's own rule may take long, or never decide: it must be asked before the lock is taken.
    const wasFresh = admitted.isFresh();
    const bucket = await admitted.current();
    const isDecidedNow = !wasFresh || !admitted.isFresh();
    const done = await store.tails.lock.run(tail.blob, async () => {
      // A rule that takes longer than its decision is valid is not asked again: the data had
      // arrived before it was asked.
      if (!isDecidedNow && !admitted.isFresh()) return undefined;
      const before = await requireAt(store, append);
      const { value: object } = before;
      const last = tailOf(store, object);
      if (last?.blob !== tail.blob) return undefined;
      if (!(await writeTail(store, last, bytes))) return undefined;
      const content = segmentsIn(object);
      const longer = {
        ...last,
        length: last.length + bytes.length,
        crc32: crc32(bytes, last.crc32),
      };
      const segments = [...content.segments.slice(0, -1), longer];
      const record = await grown(step, object, { ...content, segments });
      const changed = changeBy(step, bucket, before, record);
      const committed = await commit(store, changed).catch((error: unknown) => {
        store.tails.seal(tail.blob); // The append may still be committed, so nothing may be written there again.
        throw error;
      });
      if (committed === undefined) return undefined;
      store.tails.committed(tail.blob, longer.offset + longer.length);
      return record;
    });
    if (done !== undefined) return done;
  }
}

function addSegment(
  step: Step,
  segment: Segment,
  reserved: readonly Reservation[],
): Promise<ObjectRecord> {
  const { store, append } = step;
  const adoption = { change: adopt(reserved), reserved };
  const { signal } = append.body;
  const joiner = new Joiner(store, nameOf(append), signal);
  const { bucket } = append.admitted;
  const name = { bucketId: bucket.id, key: append.key };
  const current = () => objectRecords.get(store.metadata, name);
  return land(store, joiner, () =>
    transact(store, { signal: () => signal }, async (attempt) => {
      if (attempt > 0) await requireAdoptable(store, adoption, current);
      const { before, content, change } = await requireSegment(step, segment, joiner);
      const result = await grown(step, before.value, content);
      // The right may have been lost while the data arrived.
      const bucket = await append.admitted.current();
      return { ...changeBy(step, bucket, before, result, adoption.change, change), result };
    }),
  );
}

/** The object with one more segment. Another append may replace the manifest during the read. */
async function requireSegment({ store, append }: Step, segment: Segment, joiner: Joiner) {
  let lost: { version: string; cause: BlobNotFoundError } | undefined;
  for (;;) {
    const before = await requireAt(store, append);
    if (before.version === lost?.version) throw lost.cause;
    try {
      return { before, ...(await withSegment(store, segmentsIn(before.value), segment, joiner)) };
    } catch (cause) {
      if (!(cause instanceof BlobNotFoundError)) throw cause;
      lost = { version: before.version, cause };
    }
  }
}

/** The commit expects the bucket as it was when the caller's right was last checked. */
function changeBy(
  { store, append: { admitted, key } }: Step,
  bucket: Bucket,
  before: Stored<ObjectRecord>,
  after: ObjectRecord,
  ...also: readonly Change[]
): ChangedObject {
  admitted.mayModify();
  const context = { actor: admitted.actor, bucket, also };
  return changeObject(store, context, { kind: 'append', key, before, after });
}

/** The data of an appendable object is never in a record. */
function segmentsIn({ content }: ObjectRecord): Segments {
  if ('inline' in content) throw new Error('An appendable object has no segments.');
  return content;
}

const nameOf = ({ admitted, key }: Append): ContentName => ({ bucket: admitted.bucket.name, key });
