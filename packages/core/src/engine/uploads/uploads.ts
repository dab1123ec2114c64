import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import { type Admitted, type Bucket, expectBucket } from '../buckets/buckets.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import { type Adoption, requireAdoptable } from '../garbage/reservations.js';
import { dropContent } from '../garbage/tombstones.js';
import { type PartRecord, partRecords } from '../records/parts.js';
import { type UploadId, type UploadRecord, uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { mergeChanges, requireAttempt, transact } from '../transaction.js';

/** Identifies an upload. Its id is valid only with its own bucket and key. */
export interface UploadName {
  readonly bucket: Bucket;
  readonly key: string;
  readonly uploadId: string;
}

export interface Upload {
  readonly record: UploadRecord;
  readonly version: string;
}

const UPLOAD_ID = /^[0-9a-f]{32}$/;

export const isUploadId = (id: string): boolean => UPLOAD_ID.test(id);

/** How records identify an upload. */
export const recordId = ({ bucket, key, uploadId }: UploadName): UploadId => ({
  bucketId: bucket.id,
  key,
  uploadId,
});

async function findUpload(store: Store, name: UploadName): Promise<Upload | undefined> {
  if (!isUploadId(name.uploadId)) return undefined;
  const entry = await uploadRecords.get(store.metadata, recordId(name));
  return entry && { record: entry.value, version: entry.version };
}

export async function requireUpload(store: Store, name: UploadName): Promise<Upload> {
  const upload = await findUpload(store, name);
  if (upload === undefined) throw new StorageError('NoSuchUpload');
  return upload;
}

/**
 * Records a part and replaces an earlier one with its number. The part that is finished last wins.
 */
export function putPart(
  store: Store,
  admitted: Admitted,
  name: UploadName,
  partNumber: number,
  adoption: Adoption,
  part: Omit<PartRecord, 'lastModified'>,
): Promise<PartRecord> {
  const upload = recordId(name);
  const id = { uploadId: name.uploadId, partNumber };
  const current = () => partRecords.get(store.metadata, id);
  return transact(store, admitted, async (attempt) => {
    const bucket = await admitted.current();
    if (attempt > 0) await requireAdoptable(store, adoption, current);
    const { record, version } = await requireUpload(store, name);
    const existing = await partRecords.get(store.metadata, id);
    const result: PartRecord = { ...part, lastModified: store.now() };
    const change = mergeChanges(
      expectBucket(bucket),
      uploadRecords.expect(upload, version),
      reopened(upload, record),
      partRecords.expect(id, existing?.version),
      partRecords.put(id, result),
      adoption.change,
      existing ? dropContent(store, existing.value.content) : {},
    );
    return { change, result };
  });
}

/** Clears the mark of a running completion, so that it notices that the parts have changed. */
const reopened = (id: UploadId, record: UploadRecord): Change =>
  record.completing ? uploadRecords.put(id, { ...record, completing: false }) : {};

/** Marks an upload as being completed: from now on, no part can be stored unnoticed. */
export async function fence(
  store: Store,
  admitted: Admitted,
  name: UploadName,
  signalOf: SignalOf,
): Promise<Upload | undefined> {
  for (let attempt = 0; ; attempt++) {
    requireAttempt(attempt, signalOf);
    const upload = await findUpload(store, name);
    if (upload === undefined || upload.record.completing) return upload;
    const mark = mergeChanges(
      expectBucket(await admitted.current()),
      uploadRecords.expect(recordId(name), upload.version),
      uploadRecords.put(recordId(name), { ...upload.record, completing: true }),
    );
    await store.metadata.commit(mark);
  }
}
