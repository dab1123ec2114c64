import { hmac } from '../hashes.js';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SERVICE = 's3';
export const TERMINATOR = 'aws4_request';
export const DEFAULT_REGION = 'us-east-1';

/** Where and when a signing key is good: one day, one region, one service. */
export interface Scope {
  /** `20130524` */
  readonly date: string;
  readonly region: string;
}

export const scopeText = ({ date, region }: Scope): string =>
  `${date}/${region}/${SERVICE}/${TERMINATOR}`;

export function signingKey(secret: string, { date, region }: Scope): Buffer {
  const day = hmac(Buffer.from(`AWS4${secret}`), date);
  return hmac(hmac(hmac(day, region), SERVICE), TERMINATOR);
}
