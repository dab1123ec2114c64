import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import type { Admitted } from '../buckets/buckets.js';
import { createYielder, type YieldIfDue } from '../concurrency/yielder.js';
import { asContent } from '../content/content.js';
import { joinedCrc32 } from '../content/joined-crc.js';
import { land } from '../content/receive.js';
import { adopt } from '../garbage/reservations.js';
import { dropContent, forgetCompletion } from '../garbage/tombstones.js';
import { changeObject, timeOfChange } from '../objects/change.js';
import { checksumsOf } from '../objects/checksums.js';
import { type Joined, Joiner } from '../objects/join-segments.js';
import { findObject } from '../objects/objects.js';
import { bucketRecords } from '../records/buckets.js';
import type { ObjectChecksum } from '../records/checksums.js';
import { type CompletionRecord, completionRecords } from '../records/completions.js';
import type { HeaderPair, Segment } from '../records/content.js';
import { readTogether } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import { packParts, partListRecords } from '../records/part-lists.js';
import { partRecords, partsOf } from '../records/parts.js';
import { type UploadRecord, uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { type Plan, requireAttempt, transact } from '../transaction.js';
import { type Announced, summarize, wholeDiffers } from './checksums.js';
import { type ListedPart, PartChoice, type UploadedPart } from './listed-parts.js';
import { releaseUpload } from './upload-limit.js';
import { fence, isUploadId, recordId, requireUpload, type UploadName } from './uploads.js';

export interface Completion {
  readonly admitted: Admitted;
  readonly upload: UploadName;
  readonly parts: readonly ListedPart[];
  /** Digest of the part list, which identifies a retry. */
  readonly list: string;
  /** The checksums of the object, and its size, as the client announced them. */
  readonly announced: Announced & { readonly size: number | undefined };
  /** The minimum size of a part that is not the last one, in bytes. */
  readonly minPartBytes: number;
  /** The ETag of the object, from the ETags of its parts in order. */
  readonly completedETag: (parts: readonly string[]) => string;
  readonly signal: AbortSignal | undefined;
  /** Runs a task that reads data when it is this caller's turn. */
  readonly reading: <T>(task: () => Promise<T>) => Promise<T>;
  /** Adds its own metadata to the metadata from the start of the upload. */
  readonly metadata: (initiated: readonly HeaderPair[]) => readonly HeaderPair[];
  /** Throws when the upload must not be completed, or the existing object must not be replaced. */
  readonly guard: (upload: UploadRecord, existing: ObjectRecord | undefined) => Promise<void>;
}

interface Completed {
  readonly object: ObjectRecord;
  /** Whether the upload was already completed with the same list. */
  readonly again: boolean;
}

const RESULT_KEPT_FOR = 24 * 60 * 60 * 1000;

/**
 * Creates the object and ends the upload, in one commit. Throws InvalidPart, EntityTooSmall,
 * EntityTooLarge, BadDigest and what `guard` throws; then nothing has changed.
 */
export function completeUpload(store: Store, completion: Completion): Promise<ObjectRecord> {
  const { admitted, upload: name } = completion;
  const { key, uploadId } = name;
  // Parts that earlier versions stored may have several segments, so the total may be too large.
  const about = { bucket: name.bucket.name, key, uploadId };
  const joiner = new Joiner(store, about, completion.signal);
  const plan = async (): Promise<Plan<Completed>> => {
    const found = await readFenced(store, completion);
    if (found === undefined) {
      const object = await replay(store, completion);
      await admitted.confirm(); // No commit checks the bucket here.
      return { result: { object, again: true } };
    }
    const { upload, parts, unlisted, holder, existing } = found;
    const bucket = await admitted.holds(holder);
    const old = existing?.value;
    const yieldIfDue = createYielder();
    const { segments, crc32 } = await wholeOf(parts, yieldIfDue);
    const size = parts.reduce((sum, { part }) => sum + part.size, 0);
    requireSize(completion, size);
    const { checksum: promised } = upload.record;
    const { list, checksum } = await summarize(parts, promised, completion.announced, yieldIfDue);
    admitted.mayReplace(old);
    await completion.guard(upload.record, old);
    await admitted.confirmObject(old);

    const { maxSegments } = store.settings;
    const join = () => joiner.join(segments, maxSegments);
    let joined: Joined;
    try {
      joined = await (segments.length > maxSegments ? completion.reading(join) : join());
    } catch (error) {
      // A replaced part may be removed while it is joined.
      if (!(error instanceof BlobNotFoundError)) throw error;
      if ((await requireUpload(store, completion.upload)).version === upload.version) throw error;
      completion.signal?.throwIfAborted();
      return plan();
    }
    await yieldIfDue();
    const { content, change: manifest } = asContent(store, joined.segments);
    await yieldIfDue();
    const after: ObjectRecord = {
      type: 'Normal',
      size,
      etag: completion.completedETag(parts.map(({ part }) => part.etag)),
      crc32,
      ...(checksum && !isKnown(checksum) && { checksum }),
      lastModified: timeOfChange(store, old),
      storageClass: upload.record.storageClass,
      headers: upload.record.headers,
      metadata: completion.metadata(upload.record.metadata),
      acl: upload.record.acl,
      aclId: upload.record.aclId,
      tags: upload.record.tags,
      content,
      upload: uploadId,
      parts: parts.length,
    };
    const result: CompletionRecord = { bucket: bucket.id, key, list: completion.list };
    const ended: Change = { delete: [...parts, ...unlisted].map((uploaded) => uploaded.key) };
    const unused = unlisted.flatMap(({ part }) => part.content.segments);
    const also = [
      uploadRecords.expect(recordId(name), upload.version),
      uploadRecords.delete(recordId(name)),
      ended,
      completionRecords.put(uploadId, result),
      manifest,
      partListRecords.put(uploadId, packParts(list.algorithm, list.parts)),
      adopt(joined.reserved),
      forgetCompletion(store, uploadId, RESULT_KEPT_FOR),
      dropContent(store, { segments: [...unused, ...joined.dropped] }),
    ];
    const context = { actor: admitted.actor, bucket, also };
    const what = { kind: 'put', key, before: existing, after } as const;
    const changed = changeObject(store, context, what);
    return { ...changed, result: { object: changed.record, again: false } };
  };
  return land(store, joiner, async () => {
    const completed = await transact<Completed>(store, { signal: () => completion.signal }, plan);
    if (!completed.again) releaseUpload(store, admitted.bucket.id);
    return completed.object;
  });
}

/**
 * The upload with its parts and everything else that the decision depends on, as of one instant.
 */
async function readFenced(store: Store, completion: Completion) {
  const { admitted, upload: name, parts: listed, minPartBytes } = completion;
  const { bucket, key, uploadId } = name;
  const refs = [
    bucketRecords.at(bucket.name),
    objectRecords.at({ bucketId: bucket.id, key }),
    uploadRecords.at(recordId(name)),
  ] as const;
  const under = partsOf(uploadId);
  const signalOf = () => completion.signal;
  for (let attempt = 0; ; attempt++) {
    requireAttempt(attempt, signalOf);
    const upload = await fence(store, admitted, name, signalOf);
    if (upload === undefined) return undefined;
    const choice = new PartChoice(listed, minPartBytes);
    for await (const page of partRecords.pages(store.metadata, { under })) {
      choice.add(page);
      if (choice.problem !== undefined) break;
    }
    choice.end();
    const [holder, existing, still] = await readTogether(store.metadata, ...refs);
    if (still?.version !== upload.version) continue;
    if (choice.problem !== undefined) throw choice.problem;
    const { parts, unlisted } = choice;
    return { upload, parts, unlisted, holder, existing };
  }
}

/** The segments of all parts in order, and the CRC-32 of the whole. */
async function wholeOf(parts: readonly UploadedPart[], yieldIfDue: YieldIfDue) {
  const segments: Segment[] = [];
  const crc = joinedCrc32();
  for (const { part } of parts) {
    await yieldIfDue();
    for (const segment of part.content.segments) {
      segments.push(segment);
      crc.add(segment.crc32, segment.length);
    }
  }
  return { segments, crc32: crc.value };
}

/** The CRC-32 of all data has a separate field. */
const isKnown = ({ algorithm, type }: ObjectChecksum): boolean =>
  algorithm === 'crc32' && type === 'whole';

function requireSize({ announced: { size } }: Completion, actual: number): void {
  if (size === undefined || size === actual) return;
  throw new StorageError('InvalidArgument', `The listed parts have ${actual} bytes, not ${size}.`);
}

/** The result of an earlier completion, for a client that did not receive the response. */
async function replay(store: Store, completion: Completion): Promise<ObjectRecord> {
  const { upload, list, announced } = completion;
  const { bucket, key, uploadId } = upload;
  if (!isUploadId(uploadId)) throw new StorageError('NoSuchUpload');
  const done = (await completionRecords.get(store.metadata, uploadId))?.value;
  const same = done?.bucket === bucket.id && done.key === key && done.list === list;
  const object = same ? await findObject(store, bucket, key) : undefined;
  if (object?.upload !== uploadId) throw new StorageError('NoSuchUpload');
  requireSize(completion, object.size);
  for (const expected of announced.checksums) {
    const known = checksumsOf(object).find(
      ({ algorithm, type }) => algorithm === expected.algorithm && type === expected.type,
    );
    if (known?.value !== expected.value) throw wholeDiffers(expected);
  }
  return object;
}
