import { encode, hex, trimmed, utf8 } from './encoding.js';

/** An access key and its secret. */
export interface Signer {
  readonly accessKey: string;
  readonly secret: string;
  /** Only for temporary credentials. */
  readonly sessionToken?: string | undefined;
}

export interface Signed {
  readonly method: string;
  readonly host: string;
  /** Below the endpoint, percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names are in lower case. All headers are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** In seconds. */
  readonly expiresIn: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The v1 signature of a request (`bce-auth-v1`). */
export async function sign({ accessKey, secret }: Signer, signed: Signed): Promise<string> {
  const headers = { ...signed.headers, host: signed.host };
  const names = Object.keys(headers).sort();
  const canonical = [
    signed.method,
    signed.path,
    lines(signed.query, '=', '&'),
    lines(
      Object.entries(headers).map(([name, value]) => [name, trimmed(value)] as const),
      ':',
      '\n',
    ),
  ].join('\n');
  const time = `${new Date(signed.now).toISOString().slice(0, 19)}Z`;
  const start = `bce-auth-v1/${accessKey}/${time}/${signed.expiresIn}`;
  // The key is the hexadecimal text of the first HMAC, not its bytes.
  const signature = await hmac(await hmac(secret, start), canonical);
  return `${start}/${names.join(';')}/${signature}`;
}

/** Lines are sorted, not names: `a-b:` comes before `a:`. */
const lines = (
  pairs: readonly (readonly [name: string, value: string])[],
  between: string,
  end: string,
): string =>
  pairs
    .filter(([, value]) => value !== '' || between === '=')
    .map(([name, value]) => `${encode(name)}${between}${encode(value)}`)
    .sort()
    .join(end);

async function hmac(secret: string, text: string): Promise<string> {
  const { subtle } = globalThis.crypto;
  if (subtle === undefined) {
    throw new Error('Browsers can sign requests only on https or localhost.');
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  return hex(new Uint8Array(await subtle.sign('HMAC', key, utf8(text))));
}
