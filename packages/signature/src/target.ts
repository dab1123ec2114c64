import {
  checkOptions,
  type KnownOptions,
  kinds,
  type OptionKind,
} from '@bucketware/core/contracts';
import { encodePath, encodeText } from './encoding.js';

/** A request to sign. */
export interface Target {
  /** The URL of the mount as clients see it: `https://example.com/storage`. */
  readonly publicUrl: string;
  readonly method: string;
  /** The path below `publicUrl`, not percent-encoded: `/my-bucket/my key.txt`. Default `/`. */
  readonly path?: string | undefined;
  /** The path below `publicUrl`, percent-encoded as it will be sent. Replaces `path`. */
  readonly rawPath?: string | undefined;
  /** Query parameters, not percent-encoded. An empty value creates a flag such as `?uploads=`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers to sign. The client must send them unchanged with the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The time of signing, in milliseconds since 1970. */
  readonly now: number;
}

/** An access key and its secret. */
export interface Signer {
  readonly accessKey: string;
  readonly secret: string;
  /** The session token of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

const SIGNER: KnownOptions<Signer> = {
  accessKey: kinds.required(kinds.text),
  secret: kinds.required(kinds.text),
  sessionToken: kinds.string,
};

/** The fields of every target. */
export const TARGET: KnownOptions<Target> = {
  publicUrl: kinds.required(kinds.text),
  method: kinds.required(kinds.text),
  path: kinds.text,
  rawPath: kinds.text,
  query: kinds.strings,
  headers: kinds.strings,
  now: kinds.required(kinds.milliseconds),
};

/** With a misspelled name, the signature would last longer than wanted, or not cover a header. */
export function checkTarget(
  what: string,
  signer: Signer,
  target: Target,
  known: Readonly<Record<string, OptionKind>>,
): void {
  checkOptions(`${what}: signer`, signer, SIGNER);
  checkOptions(what, target, known);
}

/** The address of a target, percent-encoded once. */
export interface Address {
  readonly origin: string;
  readonly host: string;
  /** The path of `publicUrl`. Empty for the root. */
  readonly mount: string;
  /** The path below the mount. */
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

/** Without a regular expression, which would start again at each slash. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Headers by name in lower case. Values have one character for each byte that is sent. */
export const headersOf = (target: Target, host: string): Map<string, string> =>
  new Map([
    ...Object.entries(target.headers ?? {}).map(
      ([name, value]) => [name.toLowerCase(), Buffer.from(value).toString('latin1')] as const,
    ),
    ['host', host],
  ]);

export const rawQueryOf = (query: Iterable<readonly [name: string, value: string]>): string =>
  Array.from(query, ([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
