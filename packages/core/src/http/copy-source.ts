import { checkBucketName, checkObjectKey } from '../engine/names.js';
import type { ObjectRecord } from '../engine/records/types.js';
import { StorageError } from '../errors.js';
import { strangerAmong } from '../options.js';
import { type ReadConditions, requireReadable } from './conditions.js';
import { type Codec, date, header, type InputOf, isObject, text, Unfit } from './fields.js';
import type { ObjectName } from './operation.js';
import { percentDecode, utf8Of } from './query.js';

/** `/<bucket>/<key>`, percent-encoded, with or without its first slash. */
const sourceName: Codec<ObjectName> = {
  fromText(found) {
    const path = found.startsWith('/') ? found.slice(1) : found;
    const slash = path.indexOf('/');
    if (slash < 1 || slash === path.length - 1 || path.includes('?')) {
      const message =
        'The copy source must be /<bucket>/<key>; write ? as %3F. It has no versions.';
      throw new StorageError('InvalidArgument', message);
    }
    return named(path.slice(0, slash), path.slice(slash + 1));
  },
  fromValue(given) {
    if (!isObject(given)) throw new Unfit('an object with bucket and key');
    // A version or a condition that stands in the wrong place must not be ignored.
    const stranger = strangerAmong(given, ['bucket', 'key']);
    if (stranger !== undefined) {
      throw new StorageError('InvalidArgument', `source has no field ${stranger}`);
    }
    return { bucket: checkBucketName(given.bucket), key: checkObjectKey(given.key) };
  },
};

/** `x-svc-rename-key`: a key of the same bucket, percent-encoded. */
const sourceKey: Codec<string> = {
  fromText: (found) => checkObjectKey(decodeHeader(found)),
  fromValue: checkObjectKey,
};

const named = (bucket: string, key: string): ObjectName => ({
  bucket: checkBucketName(decodeHeader(bucket)),
  key: checkObjectKey(decodeHeader(key)),
});

/** Clients that do not percent-encode send UTF-8 bytes. */
function decodeHeader(value: string): string {
  const text = utf8Of(value);
  const decoded = text === undefined ? undefined : percentDecode(text);
  if (decoded === undefined) {
    throw new StorageError('InvalidArgument', 'The source must be percent-encoded UTF-8.');
  }
  return decoded;
}

export const copySource = { source: header('x-svc-copy-source', sourceName).required() };
export const renameSource = { from: header('x-svc-rename-key', sourceKey).required() };

/** The interface spells two of these wrong for UploadPartCopy; both spellings count everywhere. */
export const sourceConditions = {
  ifMatch: header('x-svc-copy-source-if-match', text),
  ifNoneMatch: header('x-svc-copy-source-if-none-match', text),
  ifUnmodifiedSince: header(
    'x-svc-copy-source-if-unmodified-since',
    date,
    'x-svc-copy-source-if-unmodifed-since',
  ),
  ifModifiedSince: header(
    'x-svc-copy-source-if-modified-since',
    date,
    'x-svc-copy-source-if-modifed-since',
  ),
};

/** A condition that does not hold makes the copy fail, with one code for all four. */
export function requireCopyable(
  conditions: InputOf<typeof sourceConditions>,
  source: ObjectRecord,
): void {
  try {
    requireReadable(conditions satisfies ReadConditions, source);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError('PreconditionFailed', 'A condition on the copy source does not hold.');
  }
}
