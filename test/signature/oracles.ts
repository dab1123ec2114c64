import { createHash, createHmac } from 'node:crypto';
import type { Signer } from '@bucketware/signature';
import { SignatureV4 } from '@smithy/signature-v4';
import aws4 from 'aws4';
import { NOW, SIGNER } from './fixtures.js';

type Data = string | ArrayBuffer | ArrayBufferView;
const bytesOf = (data: Data): string | Uint8Array =>
  typeof data === 'string'
    ? data
    : ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);

class Sha256 {
  readonly #hash;
  constructor(secret?: Data) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: Data): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('not used');
  }
}

/** Percent-encodes a key as the AWS SDKs do before they sign. */
export const sdkPath = (path: string): string =>
  path
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');

export interface Wanted {
  readonly method: string;
  /** The path as it is sent. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const HOST = 'files.example.com:8443';

export const smithy = (
  signer: { accessKey: string; secret: string; sessionToken?: string } = SIGNER,
) =>
  new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    uriEscapePath: false,
    sha256: Sha256 as never,
    credentials: {
      accessKeyId: signer.accessKey,
      secretAccessKey: signer.secret,
      ...(signer.sessionToken === undefined ? {} : { sessionToken: signer.sessionToken }),
    },
  });

export const smithyRequest = ({ method, path, query = {}, headers = {} }: Wanted) => ({
  method,
  path,
  protocol: 'https:',
  hostname: 'files.example.com',
  port: 8443,
  query: { ...query },
  headers: { host: HOST, ...headers },
});

export const rawQueryOf = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .map(([name, value]) => `${sdkQuery(name)}=${sdkQuery(`${value}`)}`)
    .join('&');

const sdkQuery = (text: string): string => sdkPath(text).replaceAll('/', '%2F');

/** A request that an oracle has signed, as a server gets it. */
export const arrived = (
  {
    method,
    path,
    query = {},
    headers,
  }: {
    readonly method: string;
    readonly path: string;
    readonly query?: unknown;
    readonly headers: Readonly<Record<string, string>>;
  },
  now: number = NOW,
) => ({
  method,
  rawPath: path,
  rawQuery: rawQueryOf(query as Record<string, unknown>),
  rawHeaders: Object.entries(headers).flatMap(([name, value]) => [
    name,
    Buffer.from(value).toString('latin1'),
  ]),
  now,
});

/**
 * The signature that `aws4` computes for a URL of S3, from everything in it except its signature.
 */
export function signatureByAws4(signer: Signer, { host, pathname, searchParams }: URL): string {
  searchParams.delete('X-Amz-Signature');
  const { accessKey: accessKeyId, secret: secretAccessKey, sessionToken } = signer;
  const request = { service: 's3', host, path: `${pathname}?${searchParams}`, signQuery: true };
  const { path = '' } = aws4.sign(request, { accessKeyId, secretAccessKey, sessionToken });
  return new URL(path, `https://${host}`).searchParams.get('X-Amz-Signature') ?? '';
}
