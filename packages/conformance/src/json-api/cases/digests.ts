import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bytes } from '../../actions/tools.js';
import type { HttpRule } from '../wire/rule.js';

const digest = (algorithm: string, data: Uint8Array, form: 'hex' | 'base64'): string =>
  createHash(algorithm).update(data).digest(form);

const right = (data: Uint8Array) => ({
  'content-md5': digest('md5', data, 'base64'),
  'x-svc-content-sha256': digest('sha256', data, 'hex'),
  'x-svc-content-crc32': String(crc32(data)),
});

/** A small and a large body, because a server may process them differently. */
const BODIES = [bytes(100), bytes(200_000)];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-digests-right',
    name: 'data with a matching Content-MD5 in base64, SHA-256 in hex or CRC-32 in decimal is stored',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const body of BODIES) {
        (await storage.put(`/${bucket}/all`, body, right(body))).is(200);
        for (const [name, value] of Object.entries(right(body))) {
          (await storage.put(`/${bucket}/one`, body, { [name]: value })).is(200);
        }
        assert.ok((await storage.get(`/${bucket}/one`)).body.equals(body));
      }
    },
  },
  {
    id: 'digests-checksums',
    name: 'CRC-32C and CRC-64 in decimal are compared, and CRC-32C is returned on request',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const [crc32c, crc64] = ['x-svc-content-crc32c', 'x-svc-content-crc64ecma'];
      const known = { [crc32c]: '3808858755', [crc64]: '11051210869376104954' };
      const flag = { 'x-svc-content-crc32c-flag': 'true' };
      const { uploadId } = (await storage.send({ method: 'POST', path: `${path}?uploads` })).json;
      for (const [method, query] of [
        ['PUT', ''],
        ['PUT', `?uploadId=${uploadId}&partNumber=1`],
        ['POST', '?append'],
      ] as const) {
        const send = (headers: Readonly<Record<string, string>>) =>
          storage.send({ method, path: path + query, body: '123456789', headers });
        for (const [name, value] of Object.entries(known)) {
          for (const wrong of ['1', '0', 'x', '-1', '99999999999999999999', `${value}0`]) {
            (await send({ ...known, [name]: wrong })).fails(400, 'BadDigest');
          }
        }
        if (query === '') (await storage.head(path)).failsBare(404);
        assert.equal((await send(known)).is(200).header(crc32c), undefined);
        if (method === 'POST') continue;
        assert.equal((await send(flag)).is(200).header(crc32c), '3808858755');
      }
    },
  },
  {
    id: 'digests-kept',
    name: 'CRC-32C and CRC-64 are stored, and compared with those of all parts of an upload',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const body = '123456789';
      for (const [name, value] of [
        ['x-svc-content-crc32c', '3808858755'],
        ['x-svc-content-crc64ecma', '11051210869376104954'],
      ] as const) {
        const kept = async () => {
          for (const method of ['HEAD', 'GET']) {
            const answer = await storage.send({ method, path });
            assert.equal(answer.is(200).header(name), value, method);
          }
        };
        const headers = { [name]: value };
        (await storage.send({ method: 'PUT', path, body, headers })).is(200);
        await kept();
        const { uploadId } = (await storage.send({ method: 'POST', path: `${path}?uploads` })).json;
        const upload = `${path}?uploadId=${uploadId}`;
        const put = (more: object) =>
          storage.send({ method: 'PUT', path: `${upload}&partNumber=1`, body, ...more });
        const complete = (eTag: string | undefined, sum: string) => {
          const list = JSON.stringify({ parts: [{ partNumber: 1, eTag }] });
          return storage.send({
            method: 'POST',
            path: upload,
            body: list,
            headers: { [name]: sum },
          });
        };
        const bare = (await put({})).is(200).header('etag');
        (await complete(bare, value)).fails(400, 'InvalidArgument');
        const etag = (await put({ headers })).is(200).header('etag');
        (await complete(etag, '1')).fails(400, 'BadDigest');
        (await complete(etag, value)).is(200);
        await kept();
      }
    },
  },
  {
    id: 'digests-malformed',
    name: 'a digest that no data can have is also BadDigest',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const body = Buffer.from('hello');
      const malformed = [
        ['content-md5', digest('md5', body, 'hex')],
        ['content-md5', 'XUFAKrxLKna5cZ2REBfFkg='],
        ['content-md5', 'no'],
        ['x-svc-content-sha256', digest('sha256', body, 'base64')],
        ['x-svc-content-sha256', 'UNSIGNED-PAYLOAD'],
        ['x-svc-content-crc32', crc32(body).toString(16)],
        ['x-svc-content-crc32', '-1'],
        ['x-svc-content-crc32', '1e3'],
        ['x-svc-content-crc32', '4294967296'],
      ] as const;
      for (const [name, value] of malformed) {
        (await storage.put(`/${bucket}/key`, body, { [name]: value })).fails(400, 'BadDigest');
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'json-digests-sent-back',
    name: 'GET and HEAD return the same ETag, Content-MD5 and CRC-32 as PutObject',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const body of BODIES) {
        const put = (await storage.put(`/${bucket}/key`, body)).is(200);
        const get = (await storage.get(`/${bucket}/key`)).is(200);
        const head = (await storage.head(`/${bucket}/key`)).is(200);
        for (const name of ['etag', 'content-md5', 'x-svc-content-crc32']) {
          assert.ok(put.header(name), name);
          assert.equal(get.header(name), put.header(name));
          assert.equal(head.header(name), put.header(name));
        }
      }
    },
  },
];
