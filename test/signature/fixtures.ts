import { createHash, createHmac } from 'node:crypto';
import {
  SignatureError,
  type SignedRequest,
  s3Verifier,
  type VerifiedS3Request,
} from '@bucketware/signature';
import type { ExecutionContext } from 'ava';

export const PRINCIPAL = { tenantCode: 'main', tenantId: '1', userId: 'ada', userName: 'Ada' };
export const SIGNER = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
export const TEMPORARY = {
  accessKey: 'ASIATEMPORARY',
  secret: 'passing',
  sessionToken: 'tok/en+==',
};
export const CREDENTIALS = {
  [SIGNER.accessKey]: { secret: SIGNER.secret, principal: PRINCIPAL },
  [TEMPORARY.accessKey]: {
    secret: TEMPORARY.secret,
    sessionToken: TEMPORARY.sessionToken,
    principal: { ...PRINCIPAL, userId: 'guest' },
  },
};

/** 2013-05-24T00:00:00Z, the date of the examples in the documentation of AWS. */
export const NOW = Date.UTC(2013, 4, 24);

export const verifier = s3Verifier({ credentials: CREDENTIALS });

export const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');

export const hmac = (key: string | Uint8Array, text: string | Uint8Array): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** A request with this URL and these headers, as a server gets it. */
export function requestOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  now: number = NOW,
): SignedRequest {
  const [, host = '', rawPath = '', rawQuery = ''] =
    /^https?:\/\/([^/]+)([^?]*)\??(.*)$/.exec(url) ?? [];
  const rawHeaders = Object.entries({ host, ...headers }).flatMap(([name, value]) => [
    name,
    Buffer.from(value).toString('latin1'),
  ]);
  return { method, rawPath, rawQuery, rawHeaders, now };
}

/** Asserts that a request is rejected with this code. */
export async function refused(
  t: ExecutionContext,
  code: string,
  work: () => unknown,
  what?: string,
): Promise<void> {
  const error = await t.throwsAsync(async () => work(), { instanceOf: SignatureError }, what);
  t.is(error?.code, code as never, what ?? error?.message);
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Splits bytes into pieces of these sizes. The last piece has the rest. */
export async function* inPieces(
  bytes: Uint8Array,
  sizes: readonly number[],
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

export const open = (
  { payload }: VerifiedS3Request,
  bytes: Uint8Array,
  sizes: readonly number[] = [],
) => readAll(payload.open(inPieces(bytes, sizes)));
