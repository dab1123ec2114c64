import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import { type Admitted, type Bucket, expectBucket } from '../buckets/buckets.js';
import { drop, requireAdoptable } from '../garbage/garbage.js';
import { partKey, uploadKey } from '../records/keys.js';
import type { PartRecord, UploadRecord } from '../records/types.js';
import { newId, type Store, together, transact } from '../store.js';

/** Which upload is meant. Its id is good only with its own bucket and key. */
export interface UploadName {
  readonly bucket: Bucket;
  readonly key: string;
  readonly uploadId: string;
}

export interface Upload {
  readonly record: UploadRecord;
  readonly version: string;
}

/** 32 hexadecimal digits that begin with the time, so that ids of one key order by it. */
export const newUploadId = (now: number): string =>
  now.toString(16).padStart(12, '0') + newId().slice(12);

const UPLOAD_ID = /^[0-9a-f]{32}$/;

export const isUploadId = (id: string): boolean => UPLOAD_ID.test(id);

async function findUpload(store: Store, name: UploadName): Promise<Upload | undefined> {
  const { bucket, key, uploadId } = name;
  if (!isUploadId(uploadId)) return undefined;
  const entry = await store.metadata.get(uploadKey(bucket.id, key, uploadId));
  return entry && { record: entry.value as UploadRecord, version: entry.version };
}

export async function requireUpload(store: Store, name: UploadName): Promise<Upload> {
  const upload = await findUpload(store, name);
  if (upload === undefined) throw new StorageError('NoSuchUpload');
  return upload;
}

/** Records a part in the place of an earlier one of its number. The one that ends last stays. */
export function putPart(
  store: Store,
  admitted: Admitted,
  name: UploadName,
  partNumber: number,
  adopt: Change,
  part: Omit<PartRecord, 'lastModified'>,
): Promise<PartRecord> {
  const upload = uploadKey(name.bucket.id, name.key, name.uploadId);
  const key = partKey(name.uploadId, partNumber);
  return transact(store, async () => {
    const bucket = await admitted.current();
    await requireAdoptable(store, adopt);
    const { record, version } = await requireUpload(store, name);
    const existing = await store.metadata.get(key);
    const value: PartRecord = { ...part, lastModified: store.now() };
    const change: Change = {
      expect: [
        { key: upload, version },
        { key, version: existing?.version },
      ],
      put: [{ key, value }, ...reopened(upload, record)],
    };
    const old = existing ? drop(store, (existing.value as PartRecord).content, 0) : {};
    return { change: together(expectBucket(bucket), change, adopt, old), result: value };
  });
}

/** Tells a completion that runs at the same time that the parts are not what it has read. */
const reopened = (key: string, record: UploadRecord) =>
  record.completing ? [{ key, value: { ...record, completing: false } }] : [];

/** Marks an upload as being completed: from now on no part can land unnoticed. */
export async function fence(
  store: Store,
  admitted: Admitted,
  name: UploadName,
): Promise<Upload | undefined> {
  for (;;) {
    const upload = await findUpload(store, name);
    if (upload === undefined || upload.record.completing) return upload;
    const key = uploadKey(name.bucket.id, name.key, name.uploadId);
    const value: UploadRecord = { ...upload.record, completing: true };
    const mark = { expect: [{ key, version: upload.version }], put: [{ key, value }] };
    await store.metadata.commit(together(expectBucket(await admitted.current()), mark));
  }
}
