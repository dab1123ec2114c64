import { encodePath, encodeText } from './encoding.js';

/** A request that is to be signed. */
export interface Target {
  /** The address of the storage as clients reach it, with the mount: `https://example.com/storage`. */
  readonly publicUrl: string;
  readonly method: string;
  /** Below `publicUrl`, as text and not percent-encoded: `/my-bucket/my key.txt`. Default `/`. */
  readonly path?: string | undefined;
  /** The same percent-encoded, as it will be sent. Instead of `path`. */
  readonly rawPath?: string | undefined;
  /** Parameters as text. The empty value makes a flag such as `?uploads=`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers that are to be signed. Whoever sends the request must send them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What signs: an access key and its secret. */
export interface Signer {
  readonly accessKey: string;
  readonly secret: string;
  /** Of a temporary credential. */
  readonly sessionToken?: string | undefined;
}

/** The address of a target, percent-encoded once. */
export interface Address {
  readonly origin: string;
  readonly host: string;
  /** The path of `publicUrl`. Empty at the root. */
  readonly mount: string;
  /** Below the mount. */
  readonly path: string;
}

export function addressOf({ publicUrl, path = '/', rawPath }: Target): Address {
  const { origin, host, pathname, protocol, search, hash } = new URL(publicUrl);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') {
    throw new TypeError('publicUrl must be an address such as https://example.com/storage.');
  }
  const raw = rawPath ?? encodePath(path);
  if (!raw.startsWith('/')) throw new TypeError('path must start with a slash.');
  return { origin, host, mount: withoutEndSlashes(pathname), path: raw };
}

/** A regular expression would try from each slash anew. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Headers by name in lower case, as the bytes that are sent for them. */
export const headersOf = (target: Target, host: string): Map<string, string> =>
  new Map([
    ...Object.entries(target.headers ?? {}).map(
      ([name, value]) => [name.toLowerCase(), Buffer.from(value).toString('latin1')] as const,
    ),
    ['host', host],
  ]);

export const rawQueryOf = (query: Iterable<readonly [name: string, value: string]>): string =>
  Array.from(query, ([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
