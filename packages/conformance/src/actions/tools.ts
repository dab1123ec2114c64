import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CaseContext } from './case.js';
import type { DialectClient } from './client.js';
import { fails } from './failure.js';
import type { Completed, PartName } from './pages.js';
import type { Body, Digests, Grant, ObjectOptions, Permission, UploadName } from './values.js';

/** Bytes of every value, in a sequence whose period is not a power of two. */
export const bytes = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * 17) % 251));

/** Bytes of a single letter, so that a mixture of two blocks is detected. */
export const block = (letter: string, size = 200_000): Buffer => Buffer.alloc(size, letter);

export const md5 = (data: string | Uint8Array): string =>
  createHash('md5').update(data).digest('hex');

export const digestsOf = (data: string | Uint8Array): Required<Digests> => ({
  md5: md5(data),
  sha256: createHash('sha256').update(data).digest('hex'),
  crc32: String(crc32(data)),
});

/** Compares by UTF-8 bytes, the order of every listing. */
export const byBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A well-formed id that no upload has. */
export const NO_UPLOAD = '0123456789abcdef0123456789abcdef';

/** The callers without any permission for a bucket of alice. */
export const unauthorizedClients = ({ bob, anonymous }: CaseContext): readonly DialectClient[] => [
  bob,
  anonymous,
];

/** The ids, in grants, of the users that every server under test knows. */
export const ALICE = 'u-alice';
export const BOB = 'u-bob';
export const EVERYBODY = '*';

export const grant = (grantee: string, ...permissions: readonly Permission[]): Grant => ({
  grantees: [grantee],
  permissions,
});

/** Asserts with GetObjectMeta that there is no such object. */
export async function absent(client: DialectClient, bucket: string, key: string): Promise<void> {
  await fails(client.headObject(bucket, key), 'NoSuchKey', `${key} must not exist`);
}

export const textOf = async (client: DialectClient, bucket: string, key: string): Promise<string> =>
  (await client.getObject(bucket, key)).text;

export const bodyOf = async (client: DialectClient, bucket: string, key: string): Promise<Buffer> =>
  (await client.getObject(bucket, key)).body;

/** Asserts that an object has these fields. It may have more. */
export function assertHas<Found extends object>(found: Found, expected: Partial<Found>): void {
  const names = Object.keys(expected) as (keyof Found)[];
  const seen = Object.fromEntries(names.map((name) => [name, found[name]]));
  assert.deepEqual(seen, expected);
}

/** Uploads a part, and resolves to its entry for CompleteMultipartUpload. */
export async function part(
  client: DialectClient,
  upload: UploadName,
  number: number,
  body: Body,
): Promise<PartName> {
  return { number, etag: (await client.uploadPart(upload, number, body)).etag };
}

/** Stores an object made of these parts, numbered from 1. */
export async function uploadObject(
  client: DialectClient,
  bucket: string,
  key: string,
  bodies: readonly (string | Uint8Array)[],
  options?: ObjectOptions,
): Promise<Completed> {
  const upload = await client.initiateUpload(bucket, key, options);
  const parts: PartName[] = [];
  for (const body of bodies) parts.push(await part(client, upload, parts.length + 1, body));
  return client.completeUpload(upload, parts);
}

/** Runs tasks, with a maximum number of them at a time. */
export async function inTurns(
  count: number,
  atOnce: number,
  run: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
