import type { Span } from '../../engine/content/content.js';
import { type FoundPart, findPart } from '../../engine/objects/parts.js';
import type { ObjectRecord } from '../../engine/records/objects.js';
import type { Store } from '../../engine/store.js';
import { StorageError } from '../../errors.js';
import { MAX_PARTS } from '../../limits.js';
import { integer } from './parameter.js';

/** Selects one part of an object, as it was uploaded, instead of all data. */
export const optionalPartNumber = integer(1, MAX_PARTS);

interface Wanted {
  readonly partNumber?: number | undefined;
  readonly range?: string | undefined;
}

/** The requested part. Throws InvalidPart. */
export async function wantedPart(
  store: Store,
  object: ObjectRecord,
  { partNumber, range }: Wanted,
): Promise<FoundPart | undefined> {
  if (partNumber === undefined) return undefined;
  if (range === undefined) return findPart(store, object, partNumber);
  throw new StorageError('InvalidArgument', 'Request a range or a part, not both.');
}

/** The bytes of a part. An object of zero bytes has no ranges. */
export const rangeOf = ({ start, end }: FoundPart, { size }: ObjectRecord): Span | undefined =>
  size === 0 ? undefined : { start, end };
