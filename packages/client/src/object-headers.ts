import { StorageError } from './errors.js';
import { fromHeader } from './http/encoding.js';
import { numberIn } from './http/failures.js';
import { kebab, STORED } from './parameters.js';
import type { ObjectContent, StoredObject, Written } from './types.js';

/** The ETag without its quotes. A proxy that compresses data marks it as weak. */
function etagIn({ headers }: Response): string {
  const etag = headers.get('etag');
  if (etag !== null) return etag.replace(/^(W\/)?"|"$/g, '');
  const message =
    'The response has no ETag. For another origin, the CORS rules of the bucket must expose it.';
  throw new StorageError('UnexpectedResponse', message);
}

export const writtenIn = (response: Response, prefix: string): Written => ({
  etag: etagIn(response),
  contentCrc32: numberIn(response.headers.get(`${prefix}content-crc32`)),
});

/**
 * The size of the whole object. For a range, it follows the slash in Content-Range, which browsers
 * hide from another origin. It is then NaN.
 */
export function sizeIn({ headers, status }: Response): number | undefined {
  if (status === 206) return Number(headers.get('content-range')?.split('/')[1] ?? NaN);
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}

export function describedIn(
  response: Response,
  key: string,
  prefix: string,
  size = sizeIn(response),
): StoredObject {
  if (size === undefined) {
    throw new StorageError('UnexpectedResponse', 'The response has no Content-Length.');
  }
  const { headers } = response;
  const text = (name: string) => headers.get(name) ?? undefined;
  const stored = STORED.map((name) => {
    const value = text(kebab(name));
    return [name, value && fromHeader(value)];
  });
  const start = `${prefix}meta-`;
  const metadata: [string, string][] = [];
  headers.forEach((value, name) => {
    if (name.startsWith(start)) metadata.push([name.slice(start.length), fromHeader(value)]);
  });
  return {
    key,
    size,
    etag: etagIn(response),
    lastModified: new Date(text('last-modified') ?? 0),
    type: (text(`${prefix}object-type`) ?? 'Normal') as StoredObject['type'],
    storageClass: text(`${prefix}storage-class`),
    contentMd5: text('content-md5'),
    contentCrc32: numberIn(headers.get(`${prefix}content-crc32`)),
    ...(Object.fromEntries(stored) as Pick<StoredObject, (typeof STORED)[number]>),
    metadata: Object.fromEntries(metadata), // One may be named `__proto__`.
  };
}

/**
 * Adds the methods that read the data to the properties. `failure` returns the error with which they
 * fail: in Chromium, those of Response hide the error of a stream.
 */
export const withContent = (
  object: StoredObject,
  given: ObjectContent['body'] | null,
  isPartial: boolean,
  failure: () => unknown,
): ObjectContent => {
  const body = given ?? (new Blob().stream() as ObjectContent['body']);
  const { contentType = '' } = object;
  // A Blob has no type with other characters, and Response does not accept all of them.
  const headers = { 'content-type': /[^ -~]/.test(contentType) ? '' : contentType };
  const read = async <Data>(convert: (response: Response) => Promise<Data>): Promise<Data> => {
    try {
      return await convert(new Response(body, { headers }));
    } catch (error) {
      throw failure() ?? error;
    }
  };
  return {
    ...object,
    body,
    isPartial,
    bytes: () => read(async (response) => new Uint8Array(await response.arrayBuffer())),
    text: () => read((response) => response.text()),
    json: () => read((response) => response.json()),
    blob: () => read((response) => response.blob()),
  };
};

/** Node cancels a body that nobody reads yet when its response is garbage. Each body keeps its own. */
const kept = new WeakMap<ReadableStream, Response>();

/** The properties with the data of a response. */
export function contentOf(object: StoredObject, response: Response, failure: () => unknown) {
  const { body, status } = response;
  if (body) kept.set(body, response);
  return withContent(object, body, status === 206, failure);
}

/**
 * The object, if its ETag is not one of `ifNoneMatch`. To browsers, the storage also sends objects
 * that have not changed: they would keep old headers.
 */
export function changed(
  object: StoredObject,
  { ifNoneMatch }: { readonly ifNoneMatch?: string | undefined },
): StoredObject {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\/|"/g, ''));
  if (!tags?.some((tag) => tag === object.etag || tag === '*')) return object;
  throw new StorageError('NotModified', 'The object has not changed.', { status: 304 });
}
