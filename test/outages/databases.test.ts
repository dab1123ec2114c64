import { join } from 'node:path';
import { createClient } from '@bucketware/client/node';
import { createObjectStorage, type MetadataStore, type ObjectStorage } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { keyvMetadata } from '@bucketware/keyv';
import { postgresMetadata } from '@bucketware/postgres';
import { s3 } from '@bucketware/s3';
import KeyvRedis from '@keyv/redis';
import test, { type ExecutionContext } from 'ava';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { directoryOf } from '../drivers/fixtures.js';
import { carriers } from '../http/carriers.js';
import { call, type RawAnswer } from '../http/raw.js';
import { alice, listen, onKoa } from '../http/servers.js';
import { type Missing, type OwnServer, ownPostgres, ownRedis } from '../keyv/servers.js';
import { eventually } from '../postgres/fixtures.js';
import { tcpProxy } from './tcp-proxy.js';

/** Short, because these tests wait for it, but long enough for a busy machine. */
const TIMEOUT = 1000;

/** A database, how to open a store in it, and text that only its commits contain. */
const databases: readonly (readonly [
  string,
  OwnServer | Missing,
  (url: string, name: string) => Promise<MetadataStore>,
  commit: string,
])[] = [
  [
    'PostgreSQL',
    await ownPostgres(),
    (url, table) => postgresMetadata({ url, table, timeout: TIMEOUT }),
    'SELECT given, failed',
  ],
  [
    'Redis',
    await ownRedis(),
    (url, prefix) => {
      const keyv = new Keyv({ store: new KeyvRedis(url) as KeyvStoreAdapter });
      return keyvMetadata(keyv, { prefix, timeout: TIMEOUT, disconnect: true });
    },
    'EVAL',
  ],
];

/** A storage behind two dialects, whose database is behind a proxy. */
async function serve(
  t: ExecutionContext,
  server: OwnServer,
  open: (url: string) => Promise<MetadataStore>,
) {
  const url = new URL(server.url);
  const proxy = await tcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const storage = await createObjectStorage({
    metadata: await open(url.href),
    blobs: await filesystemBlobs({ directory: join(await directoryOf(t), 'blobs') }),
    sweepEvery: false,
    onError: () => {},
  });
  const options = { onError: () => {} };
  const json = await listen((onKoa ?? t.fail())(storage, options));
  const withS3 = { ...options, dialect: s3({ credentials: {} }) };
  const xml = await listen((carriers.express5 ?? t.fail())(storage, withS3));
  t.teardown(async () => {
    await Promise.all([json.close(), xml.close()]);
    await Promise.allSettled([storage.close()]);
    await proxy.close();
  });
  await storage.as(alice).putBucket({ bucket: 'bucket', acl: 'public-read-write' });
  return { storage, proxy, json: json.origin, xml: xml.origin };
}

type Served = Awaited<ReturnType<typeof serve>>;

async function answersOf({ json, xml }: Served): Promise<RawAnswer[]> {
  const large = Buffer.alloc(100_000);
  return Promise.all([
    call(json, 'GET', '/bucket/small'),
    call(json, 'GET', '/bucket'),
    call(json, 'PUT', '/bucket/other', { body: 'text' }),
    call(json, 'PUT', '/bucket/large', { body: large }),
    call(json, 'DELETE', '/bucket/other'),
    call(xml, 'GET', '/bucket/small', { as: '' }),
    call(xml, 'GET', '/bucket', { as: '' }),
    call(xml, 'PUT', '/bucket/other', { as: '', body: 'text' }),
  ]);
}

async function proveOutage(t: ExecutionContext, served: Served): Promise<void> {
  for (const { status, headers, text } of await answersOf(served)) {
    t.deepEqual([status, headers['retry-after'] !== undefined], [503, true], text);
    t.regex(text, /ServiceUnavailable/);
  }
  const { ok, records, blobs } = await served.storage.health({ timeout: TIMEOUT });
  t.deepEqual([ok, records.ok, blobs.ok], [false, false, true]);
  t.true(records.error instanceof Error);
}

async function proveHealth(t: ExecutionContext, storage: ObjectStorage): Promise<void> {
  await eventually(async () => {
    const { ok, records } = await storage.health();
    if (!ok) throw records.error;
  });
  const object = { bucket: 'bucket', key: 'small' };
  await eventually(() => storage.putObject({ ...object, body: 'text' }));
  t.is(await eventually(async () => (await storage.getObject(object)).text()), 'text');
}

for (const [name, server, open, commit] of databases) {
  if (typeof server === 'string') {
    test(`${name} that is gone`, (t) => {
      t.log(`SKIPPED: ${server}.`);
      t.pass();
    });
    continue;
  }
  test.after.always(`stop ${name}`, () => server.stop());

  test.serial(
    `${name} that is gone or does not respond is 503 with Retry-After, and recovers`,
    async (t) => {
      const served = await serve(t, server, (url) => open(url, 'outage'));
      const { storage, proxy } = served;
      await proveHealth(t, storage);
      proxy.stall();
      await proveOutage(t, served);
      proxy.resume();
      proxy.cut();
      await proveHealth(t, storage);
      await server.kill();
      await proveOutage(t, served);
      await server.restart();
      await proveHealth(t, storage);
      const { missing } = await eventually(() => storage.check());
      t.deepEqual(missing, []);
    },
  );

  test.serial(
    `${name}: a change whose confirmation is lost is 500, and the client does not repeat it`,
    async (t) => {
      const { storage, proxy, json, xml } = await serve(t, server, (url) => open(url, 'lost'));
      const headers = { authorization: 'Bearer alice' };
      const client = createClient({ endpoint: json, headers, retry: { firstDelay: 5 } });
      const name = { bucket: 'bucket', key: 'k' };
      const textOf = async (key: string) => (await storage.getObject({ ...name, key })).text();
      for (const origin of [json, xml]) {
        await storage.putObject({ ...name, body: 'a' });
        proxy.loseReplyTo(commit);
        const { status, text } = await call(origin, 'DELETE', '/bucket/k', { as: '' });
        t.is(status, 500);
        t.regex(text, /InternalError.*may or may not have been made/s);
        await t.throwsAsync(textOf('k'), { code: 'NoSuchKey' });
      }
      await client.putObject({ ...name, body: 'old' });
      await client.putObject({ ...name, key: 'other', body: 'other' });
      const changes = [
        () => client.deleteObject(name),
        () => client.renameObject({ ...name, from: 'other' }),
        () => client.putObject({ ...name, key: 'new', body: 'new', ifNoneMatch: '*' }),
        () => client.deleteMultipleObjects({ bucket: 'bucket', objects: [{ key: 'new' }] }),
      ];
      for (const change of changes) {
        proxy.loseReplyTo(commit);
        await t.throwsAsync(change, { code: 'InternalError' });
      }
      t.is(await textOf('k'), 'other');
      for (const key of ['other', 'new']) await t.throwsAsync(textOf(key), { code: 'NoSuchKey' });
      await client.append({ ...name, key: 'log', body: 'line 1\n' });
      proxy.loseReplyTo(commit);
      await client.append({ ...name, key: 'log', body: 'line 2\n' });
      t.is(await textOf('log'), 'line 1\nline 2\n');
    },
  );
}
