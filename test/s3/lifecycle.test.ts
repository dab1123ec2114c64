import {
  CreateBucketCommand,
  GetBucketLifecycleConfigurationCommand,
  HeadObjectCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import test from 'ava';
import { call } from '../http/raw.js';
import { listen, onKoa } from '../http/servers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(onKoa);

const DAY = 24 * 60 * 60 * 1000;
const DAYS = { Status: 'Enabled', Expiration: { Days: 1 } } as const;
const tag = (Key: string, Value: string) => ({ Key, Value });

async function newBucket(Bucket: string, Rules: readonly LifecycleRule[]) {
  await server.client().send(new CreateBucketCommand({ Bucket }));
  await set(Bucket, Rules);
  return Bucket;
}

const set = (Bucket: string, Rules: readonly LifecycleRule[]) => {
  const LifecycleConfiguration = { Rules: [...Rules] };
  const input = { Bucket, LifecycleConfiguration };
  return server.client().send(new PutBucketLifecycleConfigurationCommand(input));
};

test('rules are returned as they were written: with a prefix, a tag or several conditions', async (t) => {
  const rules: LifecycleRule[] = [
    { ...DAYS, ID: 'bare', Prefix: 'a/' },
    { ...DAYS, ID: 'all', Filter: { Prefix: '' } },
    { ...DAYS, ID: 'prefix', Filter: { Prefix: 'b/' } },
    { ...DAYS, ID: 'tag', Filter: { Tag: tag('k', 'v') } },
    { ...DAYS, ID: 'and', Filter: { And: { Prefix: 'c', Tags: [tag('a', '1'), tag('b', '')] } } },
  ];
  const Bucket = await newBucket('written', rules);
  const get = new GetBucketLifecycleConfigurationCommand({ Bucket });
  t.deepEqual((await server.client().send(get)).Rules, rules);
  // Without its tags, a rule would seem to remove more.
  const { origin, close } = await listen(onKoa(server.storage, {}));
  t.teardown(close);
  t.is((await call(origin, 'GET', '/written?lifecycle', { as: 'alice' })).status, 501);
});

test('a rule for a day that does not exist is rejected', async (t) => {
  const Bucket = await newBucket('no-such-day', [{ ...DAYS, ID: 'a', Prefix: '' }]);
  const LifecycleConfiguration = { Rules: [] };
  const put = (date: string) => {
    const client = server.client();
    const rule = `<Prefix/><Status>Enabled</Status><Expiration><Date>${date}</Date></Expiration>`;
    const body = `<LifecycleConfiguration><Rule>${rule}</Rule></LifecycleConfiguration>`;
    // The SDK itself sends only days that exist.
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body });
        return next(args);
      },
      { step: 'build', priority: 'high' },
    );
    const command = new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration });
    return outcomeOf(client.send(command));
  };
  t.is(await put('2031-02-28'), 'done');
  t.is(await put('2031-02-31'), '400 InvalidArgument');
});

test.serial('a rule with tags removes only objects that have all of them', async (t) => {
  const both = { Prefix: 'x/', Tags: [tag('a', '1'), tag('b', '2')] };
  const Bucket = await newBucket('by-tags', [
    { ...DAYS, ID: 'one', Filter: { Tag: tag('k', 'v') } },
    { ...DAYS, ID: 'both', Filter: { And: both } },
  ]);
  const objects = {
    ...{ bare: '', other: 'k=w', 'x/one': 'a=1', 'y/both': 'a=1&b=2', 'x/swapped': 'a=2&b=1' },
    ...{ tagged: 'k=v', more: 'a=1&k=v', 'x/both': 'a=1&b=2&c=3' },
  };
  for (const [Key, Tagging] of Object.entries(objects)) {
    await server
      .client()
      .send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: Tagging || undefined }));
  }
  const removed: string[] = [];
  const now = new Date(Date.now() + 2 * DAY);
  await server.storage.lifecycle.run({ now, onAction: ({ key }) => removed.push(key) });
  t.deepEqual(removed.sort(), ['more', 'tagged', 'x/both']);
  const { contents } = await server.storage.listObjects({ bucket: Bucket });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['bare', 'other', 'x/one', 'x/swapped', 'y/both'],
  );
});

test('a response states which rule will remove the object, and when', async (t) => {
  const alice = server.client();
  const Bucket = await newBucket('told', [
    { ...DAYS, ID: 'a rule', Filter: { Prefix: 'a' } },
    { ...DAYS, ID: 'off', Status: 'Disabled', Filter: { Prefix: 'b' } },
  ]);
  const about = { Bucket, Key: 'a' };
  const { Expiration: written = '' } = await alice.send(new PutObjectCommand(about));
  const { Expiration, LastModified } = await alice.send(new HeadObjectCommand(about));
  t.is(Expiration, written);
  const [, date = '', rule] = /^expiry-date="(.+)", rule-id="(.+)"$/.exec(written) ?? [];
  t.is(rule, 'a%20rule');
  const late = Date.parse(date) - DAY - Number(LastModified);
  t.true(late >= 0 && late <= 1000);
  const other = await alice.send(new PutObjectCommand({ Bucket, Key: 'b' }));
  t.is(other.Expiration, undefined);
});

test('unsupported and contradictory rules are rejected and change nothing', async (t) => {
  const Bucket = await newBucket('refused', [{ ...DAYS, ID: 'kept', Filter: { Prefix: '' } }]);
  const AbortIncompleteMultipartUpload = { DaysAfterInitiation: 1 };
  const tagged = { Filter: { Tag: tag('k', 'v') } };
  const outcomes = {
    uploads: { Status: 'Enabled', AbortIncompleteMultipartUpload, ...tagged },
    sizes: { ...DAYS, Filter: { ObjectSizeLessThan: 1 } },
    signs: { ...DAYS, Filter: { Tag: tag('k?', '') } },
  } as const;
  t.is(await outcomeOf(set(Bucket, [outcomes.uploads])), '400 InvalidRequest');
  t.is(await outcomeOf(set(Bucket, [outcomes.sizes])), '501 NotImplemented');
  t.is(await outcomeOf(set(Bucket, [outcomes.signs])), '400 InvalidTag');
  const size = { ObjectSizeGreaterThan: 1_000_000 };
  for (const Filter of [
    { ...size, And: { Prefix: 'tmp/' } },
    { And: { ...size, Prefix: 'tmp/' }, Tag: tag('k', 'v') },
    { Prefix: 'tmp/', Tag: tag('k', 'v') },
  ]) {
    t.is(await outcomeOf(set(Bucket, [{ ...DAYS, Filter }])), '400 MalformedXML');
  }
  const sized = { ...DAYS, Filter: { And: { ...size, Prefix: 'tmp/' } } };
  t.is(await outcomeOf(set(Bucket, [sized])), '501 NotImplemented');
  const get = new GetBucketLifecycleConfigurationCommand({ Bucket });
  t.is((await server.client().send(get)).Rules?.[0]?.ID, 'kept');
});

test('rules whose ids look like two halves of one are returned unchanged', async (t) => {
  const abort = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } };
  const rules: LifecycleRule[] = [
    { ...DAYS, ID: 'x', Filter: { Prefix: 'keep/' }, Expiration: { Days: 3650 } },
    { ...DAYS, ID: 'x (uploads)', Filter: { Prefix: 'tmp/' } },
    { Status: 'Disabled', ID: 'y', Filter: { Prefix: '' }, Expiration: { Days: 1 } },
    { Status: 'Enabled', ID: 'y (uploads)', Filter: { Prefix: '' }, ...abort },
    { ...DAYS, ID: 'z', Filter: { Tag: tag('k', 'v') } },
    { Status: 'Enabled', ID: 'z (uploads)', Filter: { Prefix: '' }, ...abort },
    { ...DAYS, ID: 'q (uploads)', Prefix: 'q' },
    { ...DAYS, ID: 'q', Prefix: 'q' },
  ];
  const both: LifecycleRule = { ...DAYS, ID: 'b', Filter: { Prefix: '' }, ...abort };
  const Bucket = await newBucket('halves', [...rules, both]);
  const get = new GetBucketLifecycleConfigurationCommand({ Bucket });
  t.deepEqual((await server.client().send(get)).Rules, [...rules, both]);
});
