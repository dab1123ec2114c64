import { header, headerText, required, strictDate } from '@bucketware/core/dialect';
import { invalid } from './errors.js';
import { amz, requireNullVersion } from './readers.js';

interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

/** `<bucket>/<key>`, percent-encoded, with or without a first slash and `?versionId=null`. */
function sourceName(found: string): ObjectName {
  const [written = '', ...version] = found.split('?');
  if (version.length > 0) {
    const id = /^versionId=([^&?]*)$/.exec(version.join('?'))?.[1];
    if (id === undefined) throw invalid('The copy source has a malformed version. Write ? as %3F.');
    requireNullVersion(id);
  }
  const decoded = headerText(written);
  if (decoded === undefined) throw invalid('The copy source must be percent-encoded UTF-8.');
  const path = decoded.startsWith('/') ? decoded.slice(1) : decoded;
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1) {
    throw invalid('The copy source must be <bucket>/<key>.');
  }
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

const sourceConditions = {
  ifMatch: amz('x-amz-copy-source-if-match'),
  ifNoneMatch: amz('x-amz-copy-source-if-none-match'),
  ifModifiedSince: amz('x-amz-copy-source-if-modified-since', strictDate),
  ifUnmodifiedSince: amz('x-amz-copy-source-if-unmodified-since', strictDate),
};

export const copySource = {
  source: required(header('x-amz-copy-source', sourceName)),
  ...sourceConditions,
};
