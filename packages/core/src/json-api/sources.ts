import type { ObjectName } from '../actions/action.js';
import { StorageError } from '../errors.js';
import { headerText } from '../http/query.js';
import { header, required } from '../http/readers.js';
import { sourceConditions } from './conditions.js';

/** `/<bucket>/<key>`, percent-encoded, with or without its first slash. */
function sourceName(found: string): ObjectName {
  const path = found.startsWith('/') ? found.slice(1) : found;
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1 || path.includes('?')) {
    const message =
      'The copy source must be /<bucket>/<key>, with ? as %3F. Versions are not supported.';
    throw new StorageError('InvalidArgument', message);
  }
  return {
    bucket: decodeHeader(path.slice(0, slash)),
    key: decodeHeader(path.slice(slash + 1)),
  };
}

function decodeHeader(value: string): string {
  const decoded = headerText(value);
  if (decoded === undefined) {
    throw new StorageError('InvalidArgument', 'The source must be percent-encoded UTF-8.');
  }
  return decoded;
}

export const copySource = {
  source: required(header('x-svc-copy-source', sourceName)),
  ...sourceConditions,
};

/** A key of the same bucket, percent-encoded. */
export const renameSource = { from: required(header('x-svc-rename-key', decodeHeader)) };
