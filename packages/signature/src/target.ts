import { encodePath, encodeText } from './encoding.js';

/** A request to sign. */
export interface Target {
  /** The URL of the mount as clients see it: `https://example.com/storage`. */
  readonly publicUrl: string;
  readonly method: string;
  /** The path below `publicUrl`, not percent-encoded: `/my-bucket/my key.txt`. Default `/`. */
  readonly path?: string | undefined;
  /** Replaces `path`: the same, percent-encoded as it will be sent. */
  readonly rawPath?: string | undefined;
  /** Query parameters. An empty value makes a flag such as `?uploads=`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers to sign. Whoever sends the request must send them unchanged. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** An access key and its secret. */
export interface Signer {
  readonly accessKey: string;
  readonly secret: string;
  /** Only for temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** The address of a target, percent-encoded once. */
export interface Address {
  readonly origin: string;
  readonly host: string;
  /** The path of `publicUrl`. Empty for the root. */
  readonly mount: string;
  /** Below the mount. */
  readonly path: string;
}

export function addressOf({ publicUrl, path = '/', rawPath }: Target): Address {
  const { origin, host, pathname, protocol, search, hash } = new URL(publicUrl);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') {
    throw new TypeError('publicUrl must be a URL such as https://example.com/storage.');
  }
  const raw = rawPath ?? encodePath(path);
  if (!raw.startsWith('/')) throw new TypeError('path must start with a slash.');
  return { origin, host, mount: withoutEndSlashes(pathname), path: raw };
}

/** A regular expression would start again at each slash. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Headers by name in lower case, in the bytes that are sent. */
export const headersOf = (target: Target, host: string): Map<string, string> =>
  new Map([
    ...Object.entries(target.headers ?? {}).map(
      ([name, value]) => [name.toLowerCase(), Buffer.from(value).toString('latin1')] as const,
    ),
    ['host', host],
  ]);

export const rawQueryOf = (query: Iterable<readonly [name: string, value: string]>): string =>
  Array.from(query, ([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
