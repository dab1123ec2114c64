import type { MetadataStore } from '../../contracts/metadata-store.js';
import type { Bucket } from '../buckets/buckets.js';
import type { RecordDamagedError, Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords, objectsOf } from '../records/objects.js';
import type { LifecycleAction } from '../records/settings.js';
import type { Tag } from '../records/tags.js';
import { type UploadRecord, uploadRecords, uploadsOf } from '../records/uploads.js';

/** An object or an upload that a rule may apply to. */
export interface Candidate {
  readonly key: string;
  /** When the object was last modified, or the upload started: delays count from here. */
  readonly time: number;
  /** The tags of an object; `undefined` for an upload. */
  readonly tags: readonly Tag[] | undefined;
  readonly found:
    | { readonly object: Stored<ObjectRecord> }
    | { readonly upload: Stored<UploadRecord>; readonly uploadId: string };
  readonly recordKey: string;
}

/**
 * Everything in a bucket that an action may apply to, page by page, from a record's key on. Damaged
 * records are skipped.
 */
export async function* candidatesOf(
  metadata: MetadataStore,
  { id }: Bucket,
  action: LifecycleAction,
  from: string | undefined,
  passOver: (damage: RecordDamagedError) => void,
): AsyncGenerator<Candidate[]> {
  const under = (action === 'DeleteObject' ? objectsOf : uploadsOf)(id);
  // When an earlier run ended, a different bucket may have had this name.
  const start = from?.startsWith(under) ? from : undefined;
  if (action === 'DeleteObject') {
    for await (const page of objectRecords.pages(metadata, { under, start, passOver })) {
      yield page.map(fromObject);
    }
  } else {
    for await (const page of uploadRecords.pages(metadata, { under, start, passOver })) {
      yield page.map(fromUpload);
    }
  }
}

function fromObject(object: Stored<ObjectRecord>): Candidate {
  const { key } = objectRecords.parse(object.key);
  const { lastModified: time, tags } = object.value;
  return { key, time, tags, found: { object }, recordKey: object.key };
}

function fromUpload(upload: Stored<UploadRecord>): Candidate {
  const { key, uploadId } = uploadRecords.parse(upload.key);
  const found = { upload, uploadId };
  return { key, time: upload.value.initiated, tags: undefined, found, recordKey: upload.key };
}
