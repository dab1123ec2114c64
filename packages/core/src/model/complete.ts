import { createHash } from 'node:crypto';
import type { Change, Entry } from '../contracts/metadata-store.js';
import { StorageError } from '../errors.js';
import { MAX_ASSEMBLED_BYTES, MAX_PARTS, MIN_PART_BYTES } from '../limits.js';
import { type Admitted, keepOpen } from './buckets.js';
import { asContent } from './content.js';
import { drop, forgetCompleted } from './garbage.js';
import { bucketKey, completedKey, objectKey, partPrefix, uploadKey } from './keys.js';
import { findObject } from './objects.js';
import type {
  CompletedRecord,
  HeaderPair,
  ObjectRecord,
  PartRecord,
  UploadRecord,
} from './records.js';
import { type Store, together, transact } from './store.js';
import { fence, isUploadId, type UploadName } from './uploads.js';

export interface ListedPart {
  readonly partNumber: number;
  readonly etag: string;
}

export interface Completion {
  readonly admitted: Admitted;
  readonly upload: UploadName;
  readonly parts: readonly ListedPart[];
  /** Digest of the part list, by which a retry is known. */
  readonly list: string;
  /** Puts its own metadata on top of that which the upload was initiated with. */
  readonly metadata: (initiated: readonly HeaderPair[]) => readonly HeaderPair[];
  /** Throws when the upload must not be completed, or the object that is there not replaced. */
  readonly guard: (upload: UploadRecord, existing: ObjectRecord | undefined) => Promise<void>;
}

export interface Completed {
  readonly object: ObjectRecord;
  /** The upload had been completed before, with the same list. */
  readonly again: boolean;
}

const RESULT_KEPT_FOR = 24 * 60 * 60 * 1000;

/** Makes the object and ends the upload, in one commit. */
export function completeUpload(store: Store, completion: Completion): Promise<Completed> {
  const { admitted, upload: name } = completion;
  const { key, uploadId } = name;
  return transact<Completed>(store, async () => {
    const found = await readFenced(store, admitted, name);
    if (found === undefined) {
      return { result: { object: await replay(store, completion), again: true } };
    }
    const { upload, uploaded, holder, existing } = found;
    const bucket = await admitted.holds(holder);
    const old = existing?.value as ObjectRecord | undefined;
    admitted.mayReplace(old);
    await completion.guard(upload.record, old);

    const { parts, unlisted } = choose(uploaded, completion.parts);
    const segments = parts.flatMap((part) => part.content.segments);
    const { content, change: manifest } = asContent(store, segments);
    const record: ObjectRecord = {
      type: 'Normal',
      size: parts.reduce((sum, part) => sum + part.size, 0),
      etag: joinedETag(parts),
      lastModified: Math.max(store.now(), old?.lastModified ?? 0),
      storageClass: upload.record.storageClass,
      headers: upload.record.headers,
      metadata: completion.metadata(upload.record.metadata),
      acl: upload.record.acl,
      content,
      upload: uploadId,
    };
    const result: CompletedRecord = { bucket: bucket.id, key, list: completion.list };
    const began = uploadKey(bucket.id, key, uploadId);
    const made = objectKey(bucket.id, key);
    const end: Change = {
      expect: [
        { key: began, version: upload.version },
        { key: made, version: existing?.version },
      ],
      put: [
        { key: made, value: record },
        { key: completedKey(uploadId), value: result },
      ],
      delete: [began, ...uploaded.map((entry) => entry.key)],
    };
    const change = together(
      keepOpen(bucket),
      end,
      manifest,
      forgetCompleted(store, uploadId, RESULT_KEPT_FOR),
      old ? drop(store, old.content) : {},
      ...unlisted.map((part) => drop(store, part.content, 0)),
    );
    return { change, result: { object: record, again: false } };
  });
}

/** The upload with its parts and what else is judged, as of one instant. */
async function readFenced(store: Store, admitted: Admitted, name: UploadName) {
  const { bucket, key, uploadId } = name;
  const { id } = bucket;
  const keys = [bucketKey(bucket.name), objectKey(id, key), uploadKey(id, key, uploadId)];
  for (;;) {
    const upload = await fence(store, admitted, name);
    if (upload === undefined) return undefined;
    const uploaded = await store.metadata.list({ prefix: partPrefix(uploadId), limit: MAX_PARTS });
    const [holder, existing, still] = await store.metadata.getMany(keys);
    if (still?.version === upload.version) return { upload, uploaded, holder, existing };
  }
}

/** The parts that are listed, as they were uploaded, and those that are not. */
function choose(uploaded: readonly Entry[], listed: readonly ListedPart[]) {
  const byNumber = new Map<number, PartRecord>();
  for (const { key, value } of uploaded) {
    byNumber.set(Number(key.slice(key.lastIndexOf('/') + 1)), value as PartRecord);
  }
  let size = 0;
  const parts = listed.map(({ partNumber, etag }, index) => {
    const part = byNumber.get(partNumber);
    if (part === undefined || part.etag !== etag) {
      throw new StorageError('InvalidPart', `Part ${partNumber} is not the one that was uploaded.`);
    }
    if (part.size < MIN_PART_BYTES && index < listed.length - 1) {
      throw new StorageError('EntityTooSmall', `Part ${partNumber} has only ${part.size} bytes.`);
    }
    size += part.size;
    byNumber.delete(partNumber);
    return part;
  });
  if (size > MAX_ASSEMBLED_BYTES) throw new StorageError('EntityTooLarge');
  return { parts, unlisted: [...byNumber.values()] };
}

/** One part: its MD5. More: a dash and the MD5 of their hexadecimal ETags, one behind the other. */
function joinedETag(parts: readonly PartRecord[]): string {
  const [only, ...more] = parts.map((part) => part.etag);
  if (more.length === 0) return only as string;
  const hash = createHash('md5').update(only as string);
  for (const etag of more) hash.update(etag);
  return `-${hash.digest('hex')}`;
}

/** The answer of a completion that was done already, for a client that lost it. */
async function replay(
  store: Store,
  { upload: { bucket, key, uploadId }, list }: Completion,
): Promise<ObjectRecord> {
  if (!isUploadId(uploadId)) throw new StorageError('NoSuchUpload');
  const entry = await store.metadata.get(completedKey(uploadId));
  const done = entry?.value as CompletedRecord | undefined;
  const same = done?.bucket === bucket.id && done.key === key && done.list === list;
  const object = same ? await findObject(store, bucket, key) : undefined;
  if (object?.upload !== uploadId) throw new StorageError('NoSuchUpload');
  return object;
}
