import { hmac } from '../hashes.js';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SERVICE = 's3';
export const TERMINATOR = 'aws4_request';
export const DEFAULT_REGION = 'us-east-1';

/** What a signing key is valid for: a day, a region and a service. */
export interface Scope {
  /** `20130524` */
  readonly date: string;
  readonly region: string;
}

export const scopeText = ({ date, region }: Scope): string =>
  `${date}/${region}/${SERVICE}/${TERMINATOR}`;

/** The maximum number of cached keys, which limits memory. */
const MAX_KEYS = 1000;

/** Caches signing keys, because deriving one takes four HMACs and it is valid for a day. */
export class SigningKeys {
  readonly #keys = new Map<string, Buffer>();

  keyFor(secret: string, scope: Scope): Buffer {
    const name = `${scopeText(scope)}\n${secret}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const key = signingKey(secret, scope);
    this.#keys.set(name, key);
    return key;
  }
}

export function signingKey(secret: string, { date, region }: Scope): Buffer {
  const day = hmac(Buffer.from(`AWS4${secret}`), date);
  return hmac(hmac(hmac(day, region), SERVICE), TERMINATOR);
}
