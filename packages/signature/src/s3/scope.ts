import { hmac } from '../hashes.js';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SERVICE = 's3';
export const TERMINATOR = 'aws4_request';
export const DEFAULT_REGION = 'us-east-1';

/** Where and when a signing key is valid: one day, one region, one service. */
export interface Scope {
  /** `20130524` */
  readonly date: string;
  readonly region: string;
}

export const scopeText = ({ date, region }: Scope): string =>
  `${date}/${region}/${SERVICE}/${TERMINATOR}`;

/** The maximum number of remembered keys, which limits the memory. */
const MAX_KEYS = 1000;

/** Remembers signing keys, because each takes four HMACs and is valid for a day. */
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
