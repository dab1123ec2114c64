import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import { send } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** Host style is optional: without it, the cases have nothing to check. */
function hostOf(storage: StorageClient) {
  const { bucketUrl } = storage.server;
  if (bucketUrl === undefined) return undefined;
  return (bucket: string, method: string, path: string, body?: string, host?: string) => {
    const { url, host: named } = bucketUrl(bucket);
    const { origin, pathname } = new URL(url);
    const mount = pathname === '/' ? '' : pathname;
    const headers = { authorization: 'Bearer alice', host: host ?? named };
    return send({ origin, method, path: mount + path, headers, body });
  };
}

export const cases: readonly HttpRule[] = [
  {
    id: 'host-style',
    name: 'in host style, the Host header contains the bucket, and the path is the key',
    async prove(storage) {
      const call = hostOf(storage);
      if (call === undefined) return;
      const bucket = storage.newName();
      (await call(bucket, 'PUT', '/')).is(200);
      (await call(bucket, 'PUT', '/folder/a%20key', 'x')).is(200);
      assert.equal((await storage.get(`/${bucket}/folder/a%20key`)).is(200).text, 'x');
      assert.equal((await call(bucket, 'GET', '/folder/a%20key')).is(200).text, 'x');
      (await call(bucket, 'HEAD', '/')).is(200);
      const { json } = (await call(bucket, 'GET', '/?prefix=folder')).is(200);
      assert.equal(json.name, bucket);
      assert.equal(json.contents.length, 1);
      (await call(bucket, 'DELETE', '/folder/a%20key')).is(204);
      (await call(bucket, 'DELETE', '/')).is(204);
      (await storage.head(`/${bucket}`)).failsBare(404);
    },
  },
  {
    id: 'host-style-keys',
    name: 'in host style, too, the key is the path, including dots and slashes',
    async prove(storage) {
      const call = hostOf(storage);
      if (call === undefined) return;
      const bucket = await storage.newBucket();
      for (const key of [
        'a/../b',
        '/',
        '//x',
        '..',
        '%2e%2e/y',
        'storage/z',
        'v1/z',
        `${bucket}/z`,
      ]) {
        (await call(bucket, 'PUT', `/${key}`, key)).is(200);
        assert.equal((await storage.get(`/${bucket}/${key}`)).is(200).text, key, key);
      }
    },
  },
  {
    id: 'host-style-host',
    name: 'upper case, a port and a trailing dot in Host are ignored',
    async prove(storage) {
      const call = hostOf(storage);
      if (call === undefined) return;
      const bucket = await storage.newBucket();
      (await call(bucket, 'PUT', '/key', 'x')).is(200);
      const host = storage.server.bucketUrl?.(bucket).host.replace(/:\d+$/, '') ?? '';
      for (const spelling of [host, host.toUpperCase(), `${host}:8080`, `${host}.`]) {
        const answer = await call(bucket, 'GET', '/key', undefined, spelling);
        assert.equal(answer.is(200).text, 'x', spelling);
      }
    },
  },
  {
    id: 'host-style-bad-name',
    name: 'a host with an invalid bucket name is 400 InvalidBucketName',
    async prove(storage) {
      const call = hostOf(storage);
      if (call === undefined) return;
      const bucket = await storage.newBucket();
      const host = storage.server.bucketUrl?.(bucket).host ?? '';
      for (const label of ['a', 'a_b', '-ab', `x.${bucket}`, '', 'a..b']) {
        const answer = await call(bucket, 'GET', '/key', undefined, host.replace(bucket, label));
        answer.fails(400, 'InvalidBucketName');
      }
    },
  },
];
