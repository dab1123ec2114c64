import { encode } from './http/encoding.js';
import { refuseUndefined, refuseUnknown } from './names.js';

/** The parameters that the interface has in the query, with the same names as in a program. */

const QUERY = new Set([
  ...['prefix', 'delimiter', 'marker', 'maxKeys', 'keyMarker', 'uploadIdMarker', 'maxUploads'],
  ...['uploadId', 'partNumber', 'maxParts', 'partNumberMarker', 'offset', 'appendId'],
  ...['responseContentType', 'responseContentDisposition', 'responseContentEncoding'],
  ...['responseContentLanguage', 'responseCacheControl', 'responseExpires'],
]);

/** The standard headers that are stored with an object. */
export const STORED = [
  ...(['contentType', 'contentEncoding', 'contentLanguage', 'contentDisposition'] as const),
  ...(['cacheControl', 'expires'] as const),
];

/** Standard HTTP headers. All others begin with the prefix of the interface. */
const STANDARD = new Set<string>([
  ...STORED,
  ...['contentMd5', 'ifMatch', 'ifNoneMatch', 'ifModifiedSince', 'ifUnmodifiedSince'],
  ...['range', 'ifRange'],
]);

/** The names of all parameters. */
export const KNOWN = [
  ...QUERY,
  ...STANDARD,
  ...['acl', 'grantRead', 'grantFullControl', 'metadata', 'storageClass', 'contentSha256'],
  ...['contentCrc32', 'metadataDirective', 'source', 'from', 'forbidOverwrite'],
];

export const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

interface Written {
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
}

const OF_GRANTEES = ['id', 'tenantId'];

/** The header has no way to write a quote, which would end the id and begin another. */
function granteeOf(who: Readonly<Record<string, string>>): string {
  refuseUnknown('There is no field', who, OF_GRANTEES);
  const ids = OF_GRANTEES.filter((name) => name in who).map((name) => {
    const id = refuseUndefined(name, who[name] as string);
    if (!id.includes('"')) return `${name}="${id}"`;
    throw new TypeError(`The id ${id} contains a quote. Use accessControlList.`);
  });
  return ids.join(';');
}

/** Throws a TypeError for a value that the server would ignore, such as an object as a range. */
function textOf(name: string, value: unknown): string {
  if (value instanceof Date) return value.toUTCString();
  if (Array.isArray(value) && /^grant/.test(name)) return value.map(granteeOf).join();
  if (typeof value === 'object' || (name === 'range' && !/^bytes=/i.test(String(value)))) {
    throw new TypeError(`${name} is not valid.${name === 'range' ? ' Write bytes=0-9.' : ''}`);
  }
  return String(value);
}

/**
 * The parameters of an operation in the form of the interface, without undefined ones. Throws a
 * TypeError for an unknown one: without its `ifNoneMatch`, a request would replace an object.
 */
export function written(parameters: object, prefix: string): Written {
  const query: Record<string, string> = {};
  const headers: Record<string, string> = {};
  const copies = 'source' in parameters;
  refuseUnknown('There is no parameter', parameters, KNOWN);
  for (const [name, value] of Object.entries(parameters)) {
    // Without its offset, an append would create a new object.
    if (name === 'offset') refuseUndefined(name, value);
    if (value === undefined) continue;
    if (QUERY.has(name)) query[name] = textOf(name, value);
    else if (name === 'source') {
      headers[`${prefix}copy-source`] =
        `/${encode(value.bucket)}/${value.key.split('/').map(encode).join('/')}`;
    } else if (name === 'from') headers[`${prefix}rename-key`] = encode(value);
    else if (name === 'metadata') {
      if (Object(value) !== value || Symbol.iterator in value) {
        throw new TypeError('metadata is not a plain object.');
      }
      for (const [key, text] of Object.entries(value)) {
        headers[`${prefix}meta-${key.toLowerCase()}`] = `${text}`;
      }
    } else if (copies && /^if|^range$/.test(name)) {
      headers[`${prefix}copy-source-${kebab(name)}`] = textOf(name, value);
    } else {
      const text = textOf(name, value);
      // An entity tag has quotes (RFC 9110, section 8.8.3), which proxies with caches need.
      const quoted = /^if/.test(name) ? text.replace(/^-?[\da-f]{32}$/, '"$&"') : text;
      headers[(STANDARD.has(name) ? '' : prefix) + kebab(name)] = quoted;
    }
  }
  return { query, headers };
}

const DATES = new Set(['lastModified', 'initiated', 'creationDate']);

/**
 * Converts a body of the interface for programs: times become Dates, and ETags are named `etag`.
 */
export function neutral(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(neutral);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === 'eTag' || name === 'ETag') return ['etag', field];
    return [name, DATES.has(name) ? new Date(field) : neutral(field)];
  });
  return Object.fromEntries(fields);
}
