import { encode, encodeKey } from './encoding.js';

/** What a request is about. */
export interface Address {
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
}

/** The URL of an endpoint, in a page relative to `base`. Throws a TypeError if it has no host. */
export function endpointOf(endpoint: string | URL, base: string | undefined): URL {
  try {
    // In a browser, undefined would be a relative URL. `localhost:3000` has a scheme, but no host.
    if (endpoint !== undefined && new URL(endpoint, base).host) return new URL(endpoint, base);
  } catch {} // Explained below.
  const example = 'a full URL, such as https://example.com/storage';
  throw new TypeError(`The option endpoint must be ${example}. It is "${endpoint}".`);
}

/** fetch resolves `.` and `..`: such a bucket would lead to another one, or out of the storage. */
const isName = (bucket: unknown): bucket is string =>
  typeof bucket === 'string' && !/^\.{0,2}$/.test(bucket);

/** The URL of an address, and what of it is signed. */
export function locate(endpoint: URL, { bucket, key, query = {} }: Address) {
  const isOfService = bucket === undefined && key === undefined;
  if (key === '' || !(isOfService || isName(bucket))) {
    throw new TypeError('bucket and key must be valid names.');
  }
  const path = `/${encode(bucket ?? '')}${key === undefined ? '' : `/${encodeKey(key)}`}`;
  const pairs = Object.entries(query);
  const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const base = endpoint.href.replace(/[?#].*$/, '').replace(/\/$/, '');
  const url = new URL(base + path + (search && `?${search}`));
  return { url, host: url.host, path, query: pairs };
}
