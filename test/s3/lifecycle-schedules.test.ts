import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import {
  bucket as Bucket,
  days,
  fill,
  rule,
  setRules,
  watched,
} from '../http/lifecycle-fixtures.js';
import { call } from '../http/raw.js';
import { bucketIdOf } from '../http/record-keys.js';
import { alice, listen, onKoa } from '../http/servers.js';
import { credentials, KEYS } from './servers.js';

const prefixes = (count: number) =>
  Array.from({ length: count }, (_, at) => `${Bucket}/${String(at).padStart(5, '0')}*`);

/** A bucket with two objects. Its metadata store reports each read of the rules. */
async function begin(t: ExecutionContext) {
  const inner = memoryMetadata();
  const readings: string[] = [];
  const get = (key: string) => {
    if (key.endsWith('/lifecycle')) readings.push(key);
  };
  const blobs = memoryBlobs();
  const open = (metadata: MetadataStore) =>
    createObjectStorage({ metadata, blobs, sweepEvery: false });
  const storage = await open(watched(inner, { get }));
  const other = await open(inner);
  await storage.as(alice).putBucket({ bucket: Bucket });
  await fill(storage, ['00007', 'z']);
  const dialect = s3({ credentials });
  const { origin, close } = await listen(onKoa(storage, { mount: '/s3', dialect }));
  const json = await listen(onKoa(storage, {}));
  const client = new S3Client({
    ...{ endpoint: `${origin}/s3`, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: KEYS.alice,
  });
  t.teardown(async () => {
    client.destroy();
    await Promise.all([close(), json.close()]);
    await Promise.all([storage.close(), other.close()]);
  });
  const ruleOf = async (Key: string) => {
    const { Expiration = '' } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    return /rule-id="(.+)"/.exec(Expiration)?.[1];
  };
  return { metadata: inner, storage, other, readings, ruleOf, json: json.origin };
}

test('the rules of a bucket are read once for many requests, and again when they have changed', async (t) => {
  const { storage, other, readings, ruleOf } = await begin(t);
  await setRules(storage, rule({ id: 'first', resource: prefixes(10_000) }));
  const rules = await Promise.all(Array.from({ length: 8 }, () => ruleOf('00007')));
  t.deepEqual(new Set(rules), new Set(['first']));
  t.is(await ruleOf('z'), undefined);
  t.is(readings.length, 1);
  // Like another process.
  await setRules(other, rule({ id: 'second', expires: days(2) }));
  t.is(await ruleOf('00007'), 'second');
  t.is(await ruleOf('z'), 'second');
  t.is(readings.length, 2);
  await other.deleteBucketLifecycle({ bucket: Bucket });
  t.is(await ruleOf('z'), undefined);
});

test('more resources than a bucket may have are rejected, and stored ones remain in effect', async (t) => {
  const { metadata, storage, ruleOf, json } = await begin(t);
  await setRules(storage, rule({ id: 'kept', resource: prefixes(10_000) }));
  // As earlier versions stored them.
  const key = `x/${await bucketIdOf(metadata, Bucket)}/lifecycle`;
  const kept = (await metadata.get(key))?.value as { resource: string[] }[];
  t.is(kept[0]?.resource.length, 10_000);
  const value = [{ ...kept[0], resource: prefixes(20_000).slice(5) }];
  await metadata.commit({ put: [{ key, value }] });
  const half = { status: 'enabled', condition: {}, action: { name: 'DeleteObject' } };
  const body = JSON.stringify({
    rule: [
      { ...half, id: 'a', resource: prefixes(5000) },
      { ...half, id: 'b', resource: prefixes(5001) },
    ],
  });
  const refused = await call(json, 'PUT', `/${Bucket}?lifecycle`, { body });
  t.is(refused.status, 400);
  t.regex(refused.text, /InvalidArgument.*10001 resources in total.*at most 10000/);
  t.is(await ruleOf('00007'), 'kept');
  t.is(await ruleOf('z'), undefined);
});
