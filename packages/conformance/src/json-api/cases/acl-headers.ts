import assert from 'node:assert/strict';
import type { Answer, StorageClient } from '../wire/client.js';
import { append, complete, copy, part } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { BOB, EVERYBODY, type Grant, grant, putAclHeaders } from '../wire/settings.js';

type Headers = Readonly<Record<string, string>>;

/** Headers, and the resulting list. */
const LISTS: readonly (readonly [Headers, readonly Grant[]])[] = [
  [{ 'x-svc-acl': 'private' }, []],
  [{ 'x-svc-acl': 'public-read' }, [grant(EVERYBODY, 'READ')]],
  [{ 'x-svc-grant-read': 'id="u-bob"' }, [grant(BOB, 'READ')]],
  [
    { 'x-svc-grant-read': 'id="u-bob",id="u-carol"' },
    [{ grantee: [{ id: BOB }, { id: 'u-carol' }], permission: ['READ'] }],
  ],
  [
    { 'x-svc-grant-full-control': 'id="u-bob", id="u-carol"' },
    [{ grantee: [{ id: BOB }, { id: 'u-carol' }], permission: ['FULL_CONTROL'] }],
  ],
  [
    { 'x-svc-grant-read': 'id="*"', 'x-svc-grant-full-control': 'id="u-bob"' },
    [grant(EVERYBODY, 'READ'), grant(BOB, 'FULL_CONTROL')],
  ],
];

const BAD: readonly Headers[] = [
  ...['public-read-write', 'Private', 'PUBLIC-READ', 'x'].map((value) => ({ 'x-svc-acl': value })),
  ...[
    'u-bob',
    'id=u-bob',
    'id=""',
    'id="u-bob',
    'id="a";id="b"',
    'id="a",',
    ',',
    'uri="x"',
  ].flatMap((value): Headers[] => [
    { 'x-svc-grant-read': value },
    { 'x-svc-grant-full-control': value },
  ]),
];

/** Every operation that creates an object. Each resolves to the response to the given headers. */
const MAKERS: Readonly<
  Record<string, (storage: StorageClient, path: string, headers: Headers) => Promise<Answer>>
> = {
  PutObject: (storage, path, headers) => storage.put(path, 'x', headers),
  AppendObject: (storage, path, headers) => append(storage, path, 'x', undefined, headers),
  async CopyObject(storage, path, headers) {
    (await storage.put(`${path}-source`, 'x')).is(200);
    return copy(storage, `${path}-source`, path, headers);
  },
  async InitiateMultipartUpload(storage, path, headers) {
    const begun = await storage.send({ method: 'POST', path: `${path}?uploads`, headers });
    if (begun.status !== 200) return begun;
    const { uploadId } = begun.json;
    const parts = [await part(storage, path, uploadId, 1, 'x')];
    return complete(storage, path, uploadId, parts);
  },
  async PutObjectAcl(storage, path, headers) {
    (await storage.put(path, 'x')).is(200);
    return putAclHeaders(storage, path, headers);
  },
};

const makers = Object.entries(MAKERS).map(
  ([name, make]): HttpRule => ({
    id: `json-acl-headers-${name.toLowerCase()}`,
    name: `${name} accepts a list in x-svc-acl, x-svc-grant-read and x-svc-grant-full-control`,
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const [headers, accessControlList] of LISTS) {
        (await make(storage, path, headers)).is(200);
        const { json } = (await storage.get(`${path}?acl`)).is(200);
        assert.deepEqual(json, { accessControlList }, JSON.stringify(headers));
        (await storage.delete(path)).is(204);
      }
      for (const headers of BAD) {
        const answer = await make(storage, path, headers);
        assert.equal(answer.status, 400, JSON.stringify(headers));
        answer.fails(400, 'InvalidArgument');
        if (name !== 'PutObjectAcl') (await storage.head(path)).failsBare(404);
      }
    },
  }),
);

export const cases: readonly HttpRule[] = [...makers];
