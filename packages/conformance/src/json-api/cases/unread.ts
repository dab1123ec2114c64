import assert from 'node:assert/strict';
import type { ClientRequest, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** Unsupported features of the dialect and of S3, by the query that requests them. */
const FEATURES = [
  ...['objectlock', 'completeobjectlock', 'extendobjectlock', 'mirroring', 'copyrightProtection'],
  ...['inventory', 'replicationProgress', 'requestPayment', 'userQuota', 'stateSummary'],
  ...['policy', 'object-lock', 'retention', 'legal-hold', 'torrent', 'attributes', 'storageClass'],
];

/** A change of each kind that needs no parameter. With one, it could be a different request. */
const changesOf = (bucket: string, fresh: string): readonly ClientRequest[] => [
  { method: 'PUT', path: `/${fresh}` },
  { method: 'DELETE', path: `/${bucket}` },
  { method: 'PUT', path: `/${bucket}/key`, body: 'other' },
  { method: 'DELETE', path: `/${bucket}/key` },
  { method: 'POST', path: `/${bucket}/key?append`, body: 'other' },
  { method: 'POST', path: `/${bucket}?delete`, body: '{"objects":[{"key":"key"}]}' },
  { method: 'PUT', path: `/${bucket}/key`, headers: { 'x-svc-copy-source': `/${bucket}/key` } },
];

const withQuery = (request: ClientRequest, query: string): ClientRequest => ({
  ...request,
  path: `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`,
});

async function filled(storage: StorageClient) {
  const [bucket, fresh] = [await storage.newBucket(), storage.newName()];
  (await storage.put(`/${bucket}/key`, 'whole')).is(200);
  return { bucket, fresh, changes: changesOf(bucket, fresh) };
}

async function requireUntouched(storage: StorageClient, bucket: string, fresh: string) {
  assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'whole');
  (await storage.head(`/${fresh}`)).failsBare(404);
}

export const cases: readonly HttpRule[] = [
  {
    id: 'unread-query-changes',
    name: 'a change with an unexpected parameter is rejected, and nothing changes',
    async prove(storage) {
      const { bucket, fresh, changes } = await filled(storage);
      for (const request of changes) {
        for (const query of FEATURES) {
          const answer = await storage.send(withQuery(request, query));
          answer.fails(501, 'NotImplemented');
        }
        for (const query of ['made-up', 'made-up=', 'made-up=1', 'prefix=a', 'partNumber=1']) {
          const answer = await storage.send(withQuery(request, query));
          answer.fails(400, 'InvalidArgument');
        }
      }
      for (const query of ['x-svc-process=image', 'x-svc-acl', 'x-svc-acl=']) {
        (await storage.put(`/${bucket}/key?${query}`, 'no')).fails(501, 'NotImplemented');
      }
      // A client adds this parameter to every upload.
      for (const query of ['x-svc-process', 'x-svc-process=']) {
        (await storage.put(`/${bucket}/other?${query}`, 'other')).is(200);
        (await storage.delete(`/${bucket}/other`)).is(204);
      }
      const empty = await storage.newBucket();
      for (const query of ['objectlock', 'made-up']) {
        const { status } = await storage.delete(`/${empty}?${query}`);
        assert.ok(status === 501 || status === 400);
      }
      (await storage.head(`/${empty}`)).is(200);
      await requireUntouched(storage, bucket, fresh);
    },
  },
  {
    id: 'unread-query-reads',
    name: 'a read is rejected only if a parameter would change its meaning',
    async prove(storage) {
      const { bucket } = await filled(storage);
      for (const path of [`/${bucket}`, `/${bucket}/key`]) {
        for (const query of [...FEATURES, 'x-svc-acl=private', 'X-Svc-Process=image']) {
          (await storage.get(`${path}?${query}`)).fails(501, 'NotImplemented');
          (await storage.head(`${path}?${query}`)).failsBare(501);
        }
        (await storage.get(`${path}?partNumber=1`)).fails(400, 'InvalidArgument');
        for (const query of [
          'versionId%20=3',
          '%20versionId',
          'versionId%00',
          'version%E2%80%8BId',
        ]) {
          (await storage.get(`${path}?${query}`)).fails(501, 'NotImplemented');
        }
        for (const query of ['acl%20', 'upload%09Id=1', '%20partNumber=1']) {
          (await storage.get(`${path}?${query}`)).fails(400, 'InvalidArgument');
        }
        for (const query of ['_=1', 'v=2', 'utm_source=mail', 'made-up']) {
          (await storage.get(`${path}?${query}`)).is(200);
        }
      }
    },
  },
  {
    id: 'unread-headers',
    name: 'a header of the service that an operation does not read is rejected, unless it is harmless',
    async prove(storage) {
      const { bucket, fresh, changes } = await filled(storage);
      const rows = [
        ['x-svc-server-side-encryption-customer-key', 501],
        ['x-svc-object-expires', 501],
        ['x-svc-delete-recursive', 501],
        ['x-svc-tag-list', 501],
        ['x-svc-process', 501],
        ['x-svc-version-id', 501],
        ['x-svc-made-up', 400],
        ['x-svc-copy-source-range', 400],
      ] as const;
      const read: ClientRequest = { method: 'GET', path: `/${bucket}/key` };
      for (const request of [...changes, read]) {
        for (const [name, status] of rows) {
          const headers = { ...request.headers, [name]: '1' };
          const code = status === 501 ? 'NotImplemented' : 'InvalidArgument';
          (await storage.send({ ...request, headers })).fails(status, code);
        }
      }
      await requireUntouched(storage, bucket, fresh);
      const headers = {
        'x-svc-date': '2030-01-01T00:00:00Z',
        'x-svc-request-id': 'mine',
        'x-svc-content-sha256': 'e3b0',
        'x-svc-made-up': '',
      };
      (await storage.send({ ...read, headers })).is(200);
    },
  },
  {
    id: 'unread-conditions',
    name: 'a change with a condition that it does not evaluate is 501, and nothing changes',
    async prove(storage) {
      const { bucket, fresh, changes } = await filled(storage);
      const conditions = {
        'if-match': '*',
        'if-none-match': '"x"',
        'if-unmodified-since': 'Fri, 01 Jan 2100 00:00:00 GMT',
      };
      // PutObject and DeleteObject evaluate all three.
      const others = changes.filter(({ method, path, headers }) => {
        const plain = path.endsWith('/key') && headers === undefined;
        return !(plain && (method === 'PUT' || method === 'DELETE'));
      });
      assert.equal(others.length, changes.length - 2);
      for (const request of others) {
        for (const [name, value] of Object.entries(conditions)) {
          const headers = { ...request.headers, [name]: value };
          (await storage.send({ ...request, headers })).fails(501, 'NotImplemented');
        }
      }
      await requireUntouched(storage, bucket, fresh);
    },
  },
  {
    id: 'unread-empty-headers',
    name: 'a change with an empty header that needs a value is 400, and nothing changes',
    async prove(storage) {
      const { bucket, fresh, changes } = await filled(storage);
      const names = [
        ...['x-svc-copy-source', 'x-svc-acl', 'x-svc-forbid-overwrite', 'x-svc-content-sha256'],
        ...['x-svc-copy-source-range', 'x-svc-server-side-encryption', 'if-match', 'content-md5'],
        ...['if-none-match', 'if-unmodified-since', 'content-range', 'content-digest', 'digest'],
      ];
      for (const request of changes) {
        for (const name of names) {
          if (name in (request.headers ?? {})) continue;
          const headers = { ...request.headers, [name]: '' };
          (await storage.send({ ...request, headers })).fails(400, 'InvalidArgument');
        }
      }
      await requireUntouched(storage, bucket, fresh);
      const path = `/${bucket}/key`;
      const harmless = { 'x-svc-meta-empty': '', 'x-svc-security-token': '', 'content-type': '' };
      (await storage.put(path, 'whole', harmless)).is(200);
      const headers = { range: '', 'if-match': '', 'x-svc-copy-source': '' };
      (await storage.send({ method: 'GET', path, headers })).is(200);
      const { uploadId } = (await storage.send({ method: 'POST', path: `${path}?uploads` })).json;
      const copy = { 'x-svc-copy-source': path, 'x-svc-copy-source-range': '' };
      (await storage.put(`${path}?partNumber=1&uploadId=${uploadId}`, undefined, copy)).is(200);
    },
  },
  {
    id: 'unread-foreign-headers',
    name: 'a change with a header of another dialect is 501, unless the header requests nothing',
    async prove(storage) {
      const { bucket, fresh, changes } = await filled(storage);
      const foreign = {
        'x-amz-copy-source': `/${bucket}/other`,
        'x-bce-copy-source': '',
        'X-Amz-Acl': 'private',
        'x-bce-forbid-overwrite': 'true',
        'x-oss-server-side-encryption': 'AES256',
        'x-cos-grant-read': 'id="u"',
        'x-amz-meta-a': '1',
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'content-digest': 'sha-256=:AAAA:',
        digest: 'md5=AAAA',
        'repr-digest': 'sha-256=:AAAA:',
      };
      for (const request of changes) {
        for (const [name, value] of Object.entries(foreign)) {
          const headers = { ...request.headers, [name]: value };
          const answer = await storage.send({ ...request, headers });
          answer.fails(501, 'NotImplemented');
        }
      }
      await requireUntouched(storage, bucket, fresh);
      const path = `/${bucket}/key`;
      const harmless = {
        'x-amzn-trace-id': 'Root=1',
        'x-amz-cf-id': 'a',
        'x-amz-date': '20300101T000000Z',
        'x-amz-security-token': 'a',
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        'x-bce-date': '2030-01-01T00:00:00Z',
      };
      (await storage.put(path, 'whole', harmless)).is(200);
      const read: ClientRequest = { method: 'GET', path, headers: foreign };
      assert.equal((await storage.send(read)).is(200).text, 'whole');
    },
  },
  {
    id: 'unread-content-range',
    name: 'a body with Content-Range is 400 InvalidArgument, and replaces nothing',
    async prove(storage) {
      const { bucket } = await filled(storage);
      const headers = { 'content-range': 'bytes 2-4/5' };
      (await storage.put(`/${bucket}/key`, 'ole', headers)).fails(400, 'InvalidArgument');
      const path = `/${bucket}/key?append`;
      const answer = await storage.send({ method: 'POST', path, headers, body: 'ole' });
      answer.fails(400, 'InvalidArgument');
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'whole');
    },
  },
];
