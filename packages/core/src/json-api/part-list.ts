import { isObject } from '../actions/parameters/parameter.js';
import { StorageError } from '../errors.js';

const EXAMPLE = '[{"partNumber": 1, "eTag": "..."}]';

/** `[{"partNumber", "eTag"}]`. Clients also write `ETag` and `etag`. */
export function readPartList(json: unknown, name: string) {
  if (!Array.isArray(json) || json.length === 0)
    throw malformed(`${name} must be a list such as ${EXAMPLE}.`);
  return json.map((part: unknown, at) => {
    const etag = isObject(part) ? (part.eTag ?? part.ETag ?? part.etag) : undefined;
    if (!isObject(part) || typeof etag !== 'string') {
      throw malformed(`${name}[${at}] must be an object with partNumber and eTag.`);
    }
    return { partNumber: part.partNumber as number, etag };
  });
}

const malformed = (message: string) => new StorageError('InappropriateJSON', message);
