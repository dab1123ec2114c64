import type { ObjectRecord } from '../../engine/records/objects.js';
import { StorageError } from '../../errors.js';
import { date, flag, InvalidValue, parameter, text } from './parameter.js';

/** The four conditions of GetObject and GetObjectMeta (RFC 9110 section 13). */
export const readConditions = {
  ifMatch: text,
  ifNoneMatch: text,
  ifModifiedSince: date,
  ifUnmodifiedSince: date,
};

/** Conditions on an object that is replaced or removed (RFC 9110 section 13.1). */
const removeConditions = { ifMatch: text, ifNoneMatch: text, ifUnmodifiedSince: date };

/**
 * `ifLastModified`: only if the object was last modified at exactly this time, in milliseconds. With
 * `ifMatch`, it tells an object from a later one with the same data. For programs only, because an
 * HTTP date has whole seconds.
 */
export const deleteConditions = { ...removeConditions, ifLastModified: date };

/**
 * The conditions of a write: only to create an object, or only to replace one that is unchanged.
 */
export const writeConditions = { ...removeConditions, forbidOverwrite: flag };

/** An ETag, or the date of the last modification. */
export const entityOrDate = parameter<string | Date>((value) => {
  if (typeof value !== 'string' && !(value instanceof Date))
    throw new InvalidValue('an ETag or a Date');
  return value;
});

export interface ReadConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: Date | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
}

/** Throws PreconditionFailed (412) or NotModified (304). Dates are compared in whole seconds. */
export function requireReadable(conditions: ReadConditions, object: ObjectRecord): void {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  const changed = seconds(object.lastModified);
  if (ifMatch !== undefined) {
    if (!names(ifMatch, object.etag)) throw new StorageError('PreconditionFailed');
  } else if (ifUnmodifiedSince !== undefined && changed > seconds(+ifUnmodifiedSince)) {
    throw new StorageError('PreconditionFailed');
  }
  if (ifNoneMatch !== undefined) {
    if (names(ifNoneMatch, object.etag, { weak: true })) throw new NotModified(object);
  } else if (ifModifiedSince !== undefined && changed <= seconds(+ifModifiedSince)) {
    throw new NotModified(object);
  }
}

export interface WriteConditions {
  readonly ifLastModified?: Date | undefined;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
  readonly forbidOverwrite?: boolean | undefined;
}

export const isConditional = (conditions: WriteConditions): boolean =>
  conditions.ifMatch !== undefined ||
  conditions.ifNoneMatch !== undefined ||
  conditions.ifUnmodifiedSince !== undefined ||
  conditions.ifLastModified !== undefined ||
  conditions.forbidOverwrite === true;

/**
 * Whether the outcome reveals more about the object than its existence. Such conditions require
 * READ; a create-only write requires only WRITE.
 */
export const comparesObject = ({
  ifMatch,
  ifNoneMatch,
  ifUnmodifiedSince,
}: WriteConditions): boolean =>
  ifMatch !== undefined ||
  ifUnmodifiedSince !== undefined ||
  (ifNoneMatch !== undefined && ifNoneMatch !== '*');

/** Throws PreconditionFailed when what is stored is not what the writer expects. */
export function requireWritable(
  { ifMatch, ifNoneMatch, ifUnmodifiedSince, ifLastModified, forbidOverwrite }: WriteConditions,
  existing: ObjectRecord | undefined,
): void {
  const differs =
    (ifMatch !== undefined && (existing === undefined || !names(ifMatch, existing.etag))) ||
    (ifLastModified !== undefined && existing?.lastModified !== +ifLastModified);
  if (differs) {
    const details = { absent: existing === undefined };
    const message = 'The object is not the expected one.';
    throw new StorageError('PreconditionFailed', message, { details });
  }
  // An object that does not exist has no date (RFC 9110 section 13.1.4).
  const dated = ifMatch === undefined && ifUnmodifiedSince !== undefined && existing !== undefined;
  if (dated && seconds(existing.lastModified) > seconds(+ifUnmodifiedSince)) {
    throw new StorageError('PreconditionFailed', 'The object was modified after that time.');
  }
  const taken =
    existing !== undefined &&
    (forbidOverwrite ||
      (ifNoneMatch !== undefined && names(ifNoneMatch, existing.etag, { weak: true })));
  if (taken) {
    throw new StorageError('PreconditionFailed', 'The object already exists.');
  }
}

/**
 * RFC 9110 section 13.1.5: a range applies only if the object is still the one that the client saw.
 */
export function ifRangeApplies(ifRange: string | Date | undefined, object: ObjectRecord): boolean {
  if (ifRange === undefined) return true;
  if (typeof ifRange === 'string') return names(ifRange, object.etag);
  return seconds(+ifRange) === seconds(object.lastModified);
}

/**
 * Whether a list of ETags, quoted or bare, names this one. A `*` counts wherever it stands, as
 * repeated headers are joined to one list. `weak`: compares as If-None-Match does (RFC 9110 section
 * 13.1.2).
 */
function names(list: string, etag: string, { weak = false } = {}): boolean {
  if (ANY.test(list)) return true;
  // Splitting a list of thousands of other tags would take a hundred times as long.
  for (let from = 0; ; ) {
    const at = list.indexOf(etag, from);
    if (at < 0) return false;
    const comma = list.indexOf(',', at);
    const end = comma < 0 ? list.length : comma;
    const tag = list.slice(list.lastIndexOf(',', at) + 1, end).trim();
    const strong = weak && tag.startsWith('W/') ? tag.slice(2) : tag;
    if (unquote(strong) === etag) return true;
    from = end;
  }
}

const ANY = /(?:^|,)\s*\*\s*(?:,|$)/;

export const unquote = (tag: string): string =>
  tag.length > 1 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;

/** HTTP dates have whole seconds. */
export const seconds = (time: number): number => Math.floor(time / 1000);

/** The object of a NotModified error. */
export let unchangedObject: (error: unknown) => ObjectRecord | undefined;

class NotModified extends StorageError {
  readonly #object: ObjectRecord;

  static {
    unchangedObject = (error) => (error instanceof NotModified ? error.#object : undefined);
  }

  constructor(object: ObjectRecord) {
    const { etag, lastModified } = object;
    super('NotModified', undefined, { details: { etag, lastModified } });
    this.#object = object;
  }
}

/** Throws PreconditionFailed if any condition on the source of a copy does not hold. */
export function requireCopyable(conditions: ReadConditions, source: ObjectRecord): void {
  try {
    requireReadable(conditions, source);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError('PreconditionFailed', 'A condition on the copy source does not hold.');
  }
}
