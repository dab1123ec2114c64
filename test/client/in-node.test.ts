import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createClient as createWebClient } from '@bucketware/client';
import { createClient, fileBody } from '@bucketware/client/node';
import test from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { listen } from '../http/servers.js';
import { bucket, bytesOf, MIB, open, secret } from './fixtures.js';

test('a Content-Disposition keeps its characters, whatever the size of the body', async (t) => {
  const setting = await open(t);
  const contentDisposition = 'attachment; filename="日本 Übersicht é.txt"';
  const signer = { accessKey: 'AKALICE', secret };
  for (const client of [setting.client(), setting.client({ headers: {}, signer })]) {
    for (const size of [0, 1, 1000, MIB, MIB + 1]) {
      const given = { bucket, key: `${size}`, body: bytesOf(size), contentDisposition };
      for (const store of [
        () => client.putObject(given),
        () => client.upload(given),
        () => client.appendObject(given),
      ]) {
        await store();
        const found = await client.getObjectMeta({ bucket, key: given.key });
        t.is(found.contentDisposition, contentDisposition, `${size}`);
        t.is(found.size, size);
      }
    }
  }
});

test('bodies of all kinds arrive, and progress is reported during a request', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const data = bytesOf(3 * MIB);
  const seen: number[] = [];
  await client.putObject({ bucket, key: 'k', body: data, onProgress: (at) => seen.push(at) });
  t.deepEqual(seen, [MIB, 2 * MIB, 3 * MIB]);
  for (const body of [data, data.buffer, new Blob([data]), data.subarray(5), 'é', '']) {
    await client.putObject({ bucket, key: 'k', body });
    const sent = Buffer.from(await new Blob([body]).arrayBuffer());
    t.true((await (await setting.storage.getObject({ bucket, key: 'k' })).bytes()).equals(sent));
  }
});

test('uploading a file takes the memory of only a few parts', async (t) => {
  const setting = await open(t);
  const data = bytesOf(MIB + 1);
  const path = join(await directoryOf(t), 'file');
  await writeFile(path, data);
  const { read, ...file } = await fileBody(path);
  const used = new Set<ArrayBuffer>();
  const body = {
    ...file,
    async read(start: number, end: number) {
      const bytes = await read(start, end);
      used.add(bytes.buffer);
      return bytes;
    },
  };
  const parts = { partSize: 100 * 1024, concurrency: 2 };
  await setting.client().upload({ bucket, key: 'k', body, ...parts });
  t.true(used.size <= 3, `${used.size}`);
  t.true((await (await setting.storage.getObject({ bucket, key: 'k' })).bytes()).equals(data));
});

test('downloads are decoded as in a browser', async (t) => {
  const client = (await open(t)).client();
  const body = new Uint8Array(gzipSync('Hello.'));
  await client.putObject({ bucket, key: 'k', body, contentEncoding: 'gzip' });
  t.is(await (await client.getObject({ bucket, key: 'k' })).text(), 'Hello.');
});

test('the option fetch replaces the default fetch on Node', async (t) => {
  const { endpoint } = await open(t);
  const methods: unknown[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    methods.push(init?.method);
    return new Response(null, { headers: { etag: '"x"', 'x-svc-request-id': 'one' } });
  };
  const client = createClient({ endpoint, fetch });
  await client.putObject({ bucket, key: 'k', body: 'a' });
  t.deepEqual(methods, ['PUT']);
});

test('large bodies have larger parts, of a size that depends only on that of the body', async (t) => {
  const sizes: readonly (readonly [body: number, part: number])[] = [
    [100 * MIB, 8 * MIB],
    [256 * MIB + 1, 9 * MIB],
    [1024 * MIB, 32 * MIB],
    [100_000 * MIB, 32 * MIB],
    [400_000 * MIB, 40 * MIB],
  ];
  const client = createWebClient({ endpoint: 'http://localhost' });
  for (const [size, expected] of sizes) {
    const read = async (start: number, end: number) => {
      throw new Error(`${end - start}`);
    };
    const body = { size, read };
    const error = await client.upload({ bucket, key: 'k', body }).catch((failure) => failure);
    t.is(Number((error.cause as Error).message), expected);
  }
});

test('a redirect does not take headers or data to another host', async (t) => {
  const arrived: string[] = [];
  const elsewhere = await listen((req, res) => {
    arrived.push(`${req.method} ${req.headers['x-api-key']}`);
    res.end('{}');
  });
  t.teardown(elsewhere.close);
  const login = await listen((req, res) => {
    req.resume();
    res.writeHead(308, { location: elsewhere.origin + req.url }).end();
  });
  t.teardown(login.close);
  const options = { endpoint: login.origin, headers: { 'x-api-key': 'secret' } };
  for (const client of [createClient(options), createWebClient(options)]) {
    for (const call of [
      client.getObject({ bucket, key: 'k' }),
      client.getObjectMeta({ bucket, key: 'k' }),
      client.putObject({ bucket, key: 'k', body: 'confidential' }),
    ]) {
      t.like(await t.throwsAsync(call), { code: 'Unauthorized', status: 401 });
    }
  }
  t.deepEqual(arrived, []);
});
