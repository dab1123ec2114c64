import type { ObjectRecord } from '../engine/records/types.js';
import { StorageError } from '../errors.js';
import { httpDate } from './dates.js';
import { date, header, text, trueFlag } from './fields.js';

/** The four conditions of GetObject and GetObjectMeta (RFC 9110 section 13). */
export const readConditions = {
  ifMatch: header('if-match', text),
  ifNoneMatch: header('if-none-match', text),
  ifModifiedSince: header('if-modified-since', date),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

/** What must hold of an object that is replaced or removed (RFC 9110 section 13.1). */
export const removeConditions = {
  ifMatch: header('if-match', text),
  ifNoneMatch: header('if-none-match', text),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

/** The conditions of a write: create only, or replace only what was seen. */
export const writeConditions = {
  ...removeConditions,
  forbidOverwrite: header('x-svc-forbid-overwrite', trueFlag),
};

export interface ReadConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: Date | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
}

/** Throws PreconditionFailed (412) or NotModified (304). Dates count in whole seconds. */
export function requireReadable(conditions: ReadConditions, object: ObjectRecord): void {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  const changed = seconds(object.lastModified);
  if (ifMatch !== undefined) {
    if (!names(ifMatch, object.etag)) throw new StorageError('PreconditionFailed');
  } else if (ifUnmodifiedSince !== undefined && changed > seconds(+ifUnmodifiedSince)) {
    throw new StorageError('PreconditionFailed');
  }
  if (ifNoneMatch !== undefined) {
    if (names(ifNoneMatch, object.etag, { weak: true })) throw notModified(object);
  } else if (ifModifiedSince !== undefined && changed <= seconds(+ifModifiedSince)) {
    throw notModified(object);
  }
}

export interface WriteConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
  readonly forbidOverwrite?: boolean | undefined;
}

export const isConditional = (conditions: WriteConditions): boolean =>
  conditions.ifMatch !== undefined ||
  conditions.ifNoneMatch !== undefined ||
  conditions.ifUnmodifiedSince !== undefined ||
  conditions.forbidOverwrite === true;

/**
 * Whether the outcome says more of the object than that there is one. That is for those who may read
 * it; to create only is for everybody who may write.
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
  { ifMatch, ifNoneMatch, ifUnmodifiedSince, forbidOverwrite }: WriteConditions,
  existing: ObjectRecord | undefined,
): void {
  if (ifMatch !== undefined && (existing === undefined || !names(ifMatch, existing.etag))) {
    throw new StorageError('PreconditionFailed', 'The object is not the one that was expected.');
  }
  // Where there is no object, it has no date either (RFC 9110 section 13.1.4).
  const dated = ifMatch === undefined && ifUnmodifiedSince !== undefined && existing !== undefined;
  if (dated && seconds(existing.lastModified) > seconds(+ifUnmodifiedSince)) {
    throw new StorageError('PreconditionFailed', 'The object was modified since.');
  }
  const taken =
    existing !== undefined &&
    (forbidOverwrite || (ifNoneMatch !== undefined && names(ifNoneMatch, existing.etag)));
  if (taken) {
    throw new StorageError('PreconditionFailed', 'The object exists already.');
  }
}

/** RFC 9110 section 13.1.5: a range counts only while the object is the one that was seen. */
export function isStillTheSame(ifRange: string | undefined, object: ObjectRecord): boolean {
  if (ifRange === undefined) return true;
  return names(ifRange, object.etag) || ifRange === httpDate(object.lastModified);
}

/** Whether a list of ETags, quoted or bare, or `*`, names this one. */
function names(list: string, etag: string, { weak = false } = {}): boolean {
  if (list === '*') return true;
  return list.split(',').some((item) => {
    const tag = item.trim();
    const strong = weak && tag.startsWith('W/') ? tag.slice(2) : tag;
    return unquote(strong) === etag;
  });
}

export const unquote = (tag: string): string =>
  tag.length > 1 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;

const seconds = (time: number): number => Math.floor(time / 1000);

const notModified = (object: ObjectRecord) =>
  new StorageError('NotModified', undefined, {
    headers: { etag: `"${object.etag}"`, 'last-modified': httpDate(object.lastModified) },
  });
