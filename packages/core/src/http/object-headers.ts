import { headerValue } from '../actions/parameters/object-headers.js';
import {
  contentOf,
  type ObjectContent,
  recordOf,
  type StoredObject,
} from '../actions/stored-object.js';
import { httpDate } from './dates.js';
import type { StorageResponse } from './message.js';
import { header, query, type Reader, raw } from './readers.js';

/** The headers that PutObject stores and GetObject returns, apart from user metadata. */
export const contentHeaders = {
  contentType: header('content-type', raw),
  contentEncoding: header('content-encoding', raw),
  contentLanguage: header('content-language', raw),
  contentDisposition: header('content-disposition', raw),
  cacheControl: header('cache-control', raw),
  expires: header('expires', raw),
};

/** Response headers that a request may override (GetObject, response-header override). */
export const OVERRIDES = {
  responseContentType: 'content-type',
  responseContentEncoding: 'content-encoding',
  responseContentLanguage: 'content-language',
  responseContentDisposition: 'content-disposition',
  responseCacheControl: 'cache-control',
  responseExpires: 'expires',
} as const;

export type OverrideName = keyof typeof OVERRIDES;
export const OVERRIDE_NAMES = Object.keys(OVERRIDES) as readonly OverrideName[];
type OverridesOf<Value> = { readonly [Name in OverrideName]: Value };
export type Overrides = OverridesOf<string | undefined>;

/** Reads the overrides from the query parameters that the dialect has for them. */
export function responseOverrides(
  parameterOf: (name: string, header: string) => string,
): OverridesOf<Reader<string | undefined>> {
  const readers = Object.entries(OVERRIDES).map(([name, header]) => {
    const { read, ...reader } = query(parameterOf(name, header));
    const checked: Reader<string | undefined>['read'] = (source) =>
      headerValue.accept(read(source), reader.label);
    return [name, { ...reader, read: checked }];
  });
  return Object.fromEntries(readers);
}

interface Description {
  /** The prefix of user metadata. */
  readonly prefix: string;
  /** The headers that only this dialect has. */
  readonly own: Readonly<Record<string, string>>;
  readonly overrides: Overrides;
}

/** The headers of an object, except those of a range: the stored headers, or the overrides. */
export function describeObject(
  object: StoredObject,
  { prefix, own, overrides }: Description,
): Record<string, string> {
  const record = recordOf(object);
  const headers: Record<string, string> = {
    etag: `"${record.etag}"`,
    'last-modified': httpDate(record.lastModified),
    'accept-ranges': 'bytes',
    ...own,
  };
  for (const [name, value] of record.headers) headers[name] = value;
  for (const [name, value] of record.metadata) headers[prefix + name] = value;
  for (const name of OVERRIDE_NAMES) {
    const value = overrides[name];
    if (value !== undefined) headers[OVERRIDES[name]] = value;
  }
  return headers;
}

/** The response of GetObject: the whole object or the requested range. */
export function contentResponse(
  object: ObjectContent,
  headers: Record<string, string>,
): StorageResponse {
  const { range, size } = object;
  const { start, end } = range ?? { start: 0, end: size };
  headers['content-length'] = String(end - start);
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
  return { status: range ? 206 : 200, headers, body: contentOf(object) };
}
