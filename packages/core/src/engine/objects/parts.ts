import { BlobNotFoundError } from '../../contracts/blob-store.js';
import { StorageError } from '../../errors.js';
import type { Span } from '../content/content.js';
import type { Checksum } from '../records/checksums.js';
import type { ObjectRecord } from '../records/objects.js';
import {
  type ObjectPart,
  type PartList,
  partListRecords,
  unpackParts,
} from '../records/part-lists.js';
import type { Store } from '../store.js';

/** A part of an object as it was uploaded. */
export interface FoundPart extends Span {
  /**
   * `undefined` if the object was not uploaded in parts: its only part is then the whole object.
   */
  readonly checksum: Checksum | undefined;
}

/** Throws InvalidPart. Rejects with BlobNotFoundError when the object was replaced meanwhile. */
export async function findPart(
  store: Store,
  object: ObjectRecord,
  partNumber: number,
): Promise<FoundPart> {
  if (object.parts === undefined) {
    if (partNumber === 1) return { start: 0, end: object.size, checksum: undefined };
    throw noSuchPart(partNumber);
  }
  const [part] = await partsFrom(store, object, partNumber);
  if (part?.partNumber !== partNumber) throw noSuchPart(partNumber);
  return part;
}

/** The parts of an object that was completed from an upload, with numbers from `first` on. */
export async function partsFrom(
  { metadata, keptParts }: Store,
  { upload: id = '' }: ObjectRecord,
  first: number,
): Promise<Iterable<ObjectPart>> {
  const list = await keptParts.get({ id }, async () => {
    const entry = await partListRecords.get(metadata, id);
    if (entry === undefined) throw new BlobNotFoundError(id);
    return entry.value;
  });
  return unpackParts(list as PartList, first);
}

const noSuchPart = (partNumber: number) =>
  new StorageError('InvalidPart', `The object has no part ${partNumber}.`);
