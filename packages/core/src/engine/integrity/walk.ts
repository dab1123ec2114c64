import { StorageError } from '../../errors.js';
import type { Bucket } from '../buckets/buckets.js';
import type { ContentName } from '../content/damage.js';
import { nameOfBucketId } from '../records/buckets.js';
import { after } from '../records/keys.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords, objectsOf } from '../records/objects.js';
import { type PartRecord, partRecords, partsOf } from '../records/parts.js';
import { type UploadId, uploadRecords, uploadsOf } from '../records/uploads.js';
import type { Store } from '../store.js';

/** Where a scrub continues: at a byte in the content of a record or of a part of an upload. */
export interface ScrubCursor {
  readonly record: string;
  readonly part: number;
  readonly position: number;
}

/** The cursor before everything. */
export const BEGINNING: ScrubCursor = { record: uploadRecords.prefix, part: 0, position: 0 };

/** An object or a part, as the record that names its data. */
export interface Found {
  readonly name: ContentName;
  readonly entry: Stored<ObjectRecord | PartRecord>;
  /** Reads the entry again. */
  readonly again: () => Promise<Stored<ObjectRecord | PartRecord> | undefined>;
  /** For a part, the upload that it belongs to. */
  readonly upload?: UploadId;
  /** The cursor at a byte of its content. */
  readonly at: (position: number) => ScrubCursor;
  /** The cursor after it. */
  readonly behind: ScrubCursor;
}

/**
 * Every part, then every object. An upload that is completed meanwhile is visited twice rather than
 * missed, because objects come after parts.
 */
export async function* everything(
  { metadata }: Store,
  bucket: Bucket | undefined,
  from: ScrubCursor,
): AsyncGenerator<Found> {
  const pastUploads = from.record.startsWith(objectRecords.prefix);
  if (!pastUploads) {
    const under = bucket === undefined ? uploadRecords.prefix : uploadsOf(bucket.id);
    for await (const page of uploadRecords.pages(metadata, { under, start: from.record })) {
      for (const { key } of page) {
        yield* everyPart(metadata, key, key === from.record ? from.part : 1);
      }
    }
  }
  const under = bucket === undefined ? objectRecords.prefix : objectsOf(bucket.id);
  const start = pastUploads ? from.record : undefined;
  for await (const page of objectRecords.pages(metadata, { under, start })) {
    for (const entry of page) {
      const { key: record } = entry;
      const id = objectRecords.parse(record);
      yield {
        name: { bucket: nameOfBucketId(id.bucketId), key: id.key },
        entry,
        again: () => objectRecords.get(metadata, id),
        at: (position) => ({ record, part: 0, position }),
        behind: { record: after(record), part: 0, position: 0 },
      };
    }
  }
}

async function* everyPart(
  metadata: Store['metadata'],
  record: string,
  first: number,
): AsyncGenerator<Found> {
  const upload = uploadRecords.parse(record);
  const { bucketId, key, uploadId } = upload;
  const under = partsOf(uploadId);
  const start = partRecords.key({ uploadId, partNumber: first });
  for await (const page of partRecords.pages(metadata, { under, start })) {
    for (const entry of page) {
      const id = partRecords.parse(entry.key);
      const part = id.partNumber;
      yield {
        name: { bucket: nameOfBucketId(bucketId), key, uploadId, partNumber: part },
        entry,
        again: () => partRecords.get(metadata, id),
        upload,
        at: (position) => ({ record, part, position }),
        behind: { record, part: part + 1, position: 0 },
      };
    }
  }
}

/** A cursor as text, for apps to save. */
export const toText = ({ record, part, position }: ScrubCursor): string =>
  Buffer.from(JSON.stringify([record, part, position])).toString('base64url');

export function fromText(text: string): ScrubCursor {
  try {
    const [record, part, position] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (/^[uo]\//.test(record) && part >= 0 && position >= 0) return { record, part, position };
  } catch {
    // Rejected below, like everything else that is not a cursor.
  }
  throw new StorageError(
    'InvalidArgument',
    'after must be the value of next from an earlier scrub.',
  );
}
