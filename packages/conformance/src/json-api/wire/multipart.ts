import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer, StorageClient } from './client.js';

/** The minimum size of a part, unless it is the last one, in bytes. */
export const MIN_PART = 102_400;

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export const md5 = (data: string | Uint8Array): string =>
  createHash('md5').update(data).digest('hex');

export const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** The ETag in a header, without its quotes. */
function etagOf(answer: Answer): string {
  const value = answer.header('etag') ?? '';
  assert.match(value, /^"[^"]+"$/);
  return value.slice(1, -1);
}

/** An entry of the list for CompleteMultipartUpload. */
export interface Listed {
  readonly partNumber: number;
  readonly eTag: string;
}

/** Begins an upload, and resolves to its id. */
export async function initiate(
  storage: StorageClient,
  path: string,
  headers?: OutgoingHttpHeaders,
): Promise<string> {
  const answer = await storage.send({ method: 'POST', path: `${path}?uploads`, headers });
  return answer.is(200).json.uploadId;
}

export const partPath = (path: string, uploadId: string, partNumber: number | string): string =>
  `${path}?partNumber=${partNumber}&uploadId=${uploadId}`;

/** Uploads a part, and resolves to its entry for CompleteMultipartUpload. */
export async function part(
  storage: StorageClient,
  path: string,
  uploadId: string,
  partNumber: number,
  body: string | Uint8Array,
): Promise<Listed> {
  const answer = (await storage.put(partPath(path, uploadId, partNumber), body)).is(200);
  return { partNumber, eTag: etagOf(answer) };
}

export function complete(
  storage: StorageClient,
  path: string,
  uploadId: string,
  parts: readonly Listed[],
  headers?: OutgoingHttpHeaders,
): Promise<Answer> {
  const body = JSON.stringify({ parts });
  return storage.send({ method: 'POST', path: `${path}?uploadId=${uploadId}`, headers, body });
}

/** Stores an object made of these parts, numbered from 1. */
export async function upload(
  storage: StorageClient,
  path: string,
  bodies: readonly (string | Uint8Array)[],
  headers?: OutgoingHttpHeaders,
): Promise<Answer> {
  const uploadId = await initiate(storage, path, headers);
  const parts: Listed[] = [];
  for (const body of bodies) {
    parts.push(await part(storage, path, uploadId, parts.length + 1, body));
  }
  return (await complete(storage, path, uploadId, parts)).is(200);
}

/** The result of ListParts. */
export async function listParts(
  storage: StorageClient,
  path: string,
  uploadId: string,
  query = '',
) {
  const { json } = (await storage.get(`${path}?uploadId=${uploadId}${query}`)).is(200);
  const numbers: number[] = json.parts.map((item: Listed) => item.partNumber);
  return { json, numbers };
}

/** Copies an object with CopyObject. */
export const copy = (
  storage: StorageClient,
  source: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<Answer> => storage.put(path, '', { ...headers, 'x-svc-copy-source': source });

/** Appends to an object or, without an offset, creates an appendable one. */
export function append(
  storage: StorageClient,
  path: string,
  body: string | Uint8Array | Iterable<Uint8Array>,
  offset?: number | string,
  headers?: OutgoingHttpHeaders,
): Promise<Answer> {
  const query = offset === undefined ? '?append' : `?append&offset=${offset}`;
  return storage.send({ method: 'POST', path: path + query, headers, body });
}

export const rename = (storage: StorageClient, from: string, path: string): Promise<Answer> =>
  storage.send({ method: 'POST', path, headers: { 'x-svc-rename-key': from } });
