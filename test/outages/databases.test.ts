import { join } from 'node:path';
import { createObjectStorage, type MetadataStore, type ObjectStorage } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { keyvMetadata } from '@bucketware/keyv';
import { postgresMetadata } from '@bucketware/postgres';
import { s3 } from '@bucketware/s3';
import KeyvRedis from '@keyv/redis';
import test, { type ExecutionContext } from 'ava';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { directoryOf } from '../drivers/fixtures.js';
import { call, type RawAnswer } from '../http/raw.js';
import { alice, carriers, listen } from '../http/servers.js';
import { type Missing, type OwnServer, ownPostgres, ownRedis } from '../keyv/servers.js';
import { eventually } from '../postgres/fixtures.js';
import { tcpProxy } from './tcp-proxy.js';

/** Short, because these tests wait for it, but long enough for a busy machine. */
const TIMEOUT = 1000;

const databases: readonly (readonly [
  string,
  OwnServer | Missing,
  (url: string) => Promise<MetadataStore>,
])[] = [
  ['PostgreSQL', await ownPostgres(), (url) => postgresMetadata({ url, timeout: TIMEOUT })],
  [
    'Redis',
    await ownRedis(),
    (url) => {
      const keyv = new Keyv({ store: new KeyvRedis(url) as KeyvStoreAdapter });
      return keyvMetadata(keyv, { timeout: TIMEOUT, disconnect: true });
    },
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
  const json = await listen((carriers.koa ?? t.fail())(storage, options));
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

for (const [name, server, open] of databases) {
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
      const served = await serve(t, server, open);
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
}
