import type { Entry } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import type { Bucket } from '../buckets/buckets.js';
import type { ContentName } from '../content/damage.js';
import {
  after,
  nameOfBucketId,
  objectPrefix,
  partKey,
  partPrefix,
  uploadIdOf,
  uploadPrefix,
} from '../records/keys.js';
import { pages, type Store } from '../store.js';

/** Where a scrub goes on: at a record, or at a part of an upload; from a byte of its content on. */
export interface Place {
  readonly record: string;
  readonly part: number;
  readonly position: number;
}

/** In front of everything. */
export const BEGINNING: Place = { record: 'u/', part: 0, position: 0 };

/** An object or a part: the entry that names its bytes. */
export interface Found {
  readonly name: ContentName;
  readonly entry: Entry;
  /** The place of a byte of it. */
  readonly at: (position: number) => Place;
  /** The place behind it. */
  readonly behind: Place;
}

/**
 * Every part, then every object. An upload that is completed meanwhile is met twice, and not missed:
 * its parts are an object before the objects are looked at.
 */
export async function* everything(
  { metadata }: Store,
  bucket: Bucket | undefined,
  from: Place,
): AsyncGenerator<Found> {
  const uploads = bucket === undefined ? 'u/' : uploadPrefix(bucket.id);
  const objects = bucket === undefined ? 'o/' : objectPrefix(bucket.id);
  const pastUploads = from.record.startsWith('o/');
  if (!pastUploads) {
    for await (const page of pages(metadata, uploads, from.record)) {
      for (const { key } of page) {
        yield* partsOf(metadata, key, key === from.record ? from.part : 1);
      }
    }
  }
  for await (const page of pages(metadata, objects, pastUploads ? from.record : undefined)) {
    for (const entry of page) {
      const { key: record } = entry;
      yield {
        name: nameOf(record),
        entry,
        at: (position) => ({ record, part: 0, position }),
        behind: { record: after(record), part: 0, position: 0 },
      };
    }
  }
}

async function* partsOf(
  metadata: Store['metadata'],
  record: string,
  first: number,
): AsyncGenerator<Found> {
  const end = record.indexOf('\0');
  const uploadId = uploadIdOf(record);
  const start = partKey(uploadId, first);
  for await (const page of pages(metadata, partPrefix(uploadId), start)) {
    for (const entry of page) {
      const part = Number(entry.key.slice(entry.key.lastIndexOf('/') + 1));
      yield {
        name: { ...nameOf(record.slice(0, end)), uploadId, partNumber: part },
        entry,
        at: (position) => ({ record, part, position }),
        behind: { record, part: part + 1, position: 0 },
      };
    }
  }
}

/** `o/<bucket id>/<key>` and `u/<bucket id>/<key>`; an id holds no slash. */
function nameOf(record: string): ContentName {
  const slash = record.indexOf('/', 2);
  return { bucket: nameOfBucketId(record.slice(2, slash)), key: record.slice(slash + 1) };
}

/** A place as text that a host can keep. */
export const toText = ({ record, part, position }: Place): string =>
  Buffer.from(JSON.stringify([record, part, position])).toString('base64url');

export function fromText(text: string): Place {
  try {
    const [record, part, position] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (/^[uo]\//.test(record) && part >= 0 && position >= 0) return { record, part, position };
  } catch {
    // Told below, as all that is no place.
  }
  throw new StorageError('InvalidArgument', 'after must be the next of an earlier scrub.');
}
