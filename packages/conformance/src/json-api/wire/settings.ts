import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer, Caller, StorageClient } from './client.js';

/** The ids, in grants, of the users that every server under test knows. */
export const ALICE = 'u-alice';
export const BOB = 'u-bob';
export const EVERYBODY = '*';

export interface Grant {
  readonly grantee: readonly { readonly id: string }[];
  readonly permission: readonly string[];
}

export const grant = (id: string, ...permission: readonly string[]): Grant => ({
  grantee: [{ id }],
  permission,
});

/** Sends a setting of a bucket or object as JSON; text is sent as it is. */
export function putSetting(
  storage: StorageClient,
  path: string,
  name: 'acl' | 'cors' | 'lifecycle',
  body: unknown,
  as: Caller = 'alice',
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return storage.send({ method: 'PUT', path: `${path}?${name}`, as, body: text });
}

/** Sets the access control list of a bucket or object. */
export async function allow(
  storage: StorageClient,
  path: string,
  ...accessControlList: readonly object[]
): Promise<void> {
  (await putSetting(storage, path, 'acl', { accessControlList })).is(200);
}

/** Sets the access control list of a bucket or object with headers only. */
export const putAclHeaders = (
  storage: StorageClient,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<Answer> => storage.send({ method: 'PUT', path: `${path}?acl`, headers });

/** Creates a bucket of alice with these CORS rules. */
export async function bucketWithCors(
  storage: StorageClient,
  ...corsConfiguration: readonly object[]
): Promise<string> {
  const bucket = await storage.newBucket();
  (await putSetting(storage, `/${bucket}`, 'cors', { corsConfiguration })).is(200);
  return bucket;
}

/** The names of all headers that grant access to pages of other origins. */
export const accessHeaders = (answer: Answer): string[] =>
  answer.rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.toLowerCase().startsWith('access-control-'),
  );

/** The names in a header that contains a list, in lower case. */
export const listIn = (answer: Answer, name: string): string[] =>
  (answer.header(name) ?? '')
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');

/** JSON text of exactly this many bytes, padded with white space, which has no meaning in JSON. */
export function padded(body: unknown, size: number): string {
  const text = JSON.stringify(body);
  return text.slice(0, 1) + ' '.repeat(size - Buffer.byteLength(text)) + text.slice(1);
}

/** JSON text of nested arrays. */
export const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
