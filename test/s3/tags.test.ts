import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectTaggingCommand,
  GetBucketTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketAclCommand,
  PutBucketTaggingCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import test from 'ava';
import { onKoa } from '../http/servers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(onKoa);

type Tags = Readonly<Record<string, string>>;
const tagging = (tags: Tags) => ({
  TagSet: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
});

/** A new bucket of alice to which everybody may write. */
async function newBucket(Bucket: string) {
  await server.client().send(new CreateBucketCommand({ Bucket, ACL: 'public-read-write' }));
  return Bucket;
}

const put = (about: { Bucket: string; Key: string }, Tagging?: string) =>
  server.client().send(new PutObjectCommand({ ...about, Body: 'x', Tagging }));

async function tagsOf(about: { Bucket: string; Key: string }): Promise<Tags> {
  const { TagSet = [] } = await server.client().send(new GetObjectTaggingCommand(about));
  return Object.fromEntries(TagSet.map(({ Key, Value }) => [Key, Value]));
}

test('tags of an object are set, counted, replaced and removed, and its time stays the same', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('tagged'), Key: 'a' };
  await put(about);
  t.deepEqual(await tagsOf(about), {});
  const { LastModified, TagCount } = await alice.send(new HeadObjectCommand(about));
  t.is(TagCount, undefined);
  const set = (tags: Tags) =>
    alice.send(new PutObjectTaggingCommand({ ...about, Tagging: tagging(tags) }));
  await set({ zone: 'ö', __proto__: '', 'a b+-=._:/@': 'x' });
  t.deepEqual(Object.entries(await tagsOf(about)), [
    ['a b+-=._:/@', 'x'],
    ['zone', 'ö'],
  ]);
  const head = await alice.send(new HeadObjectCommand(about));
  t.deepEqual([head.TagCount, head.LastModified], [2, LastModified]);
  await set({ other: '' });
  t.deepEqual(await tagsOf(about), { other: '' });
  await alice.send(new DeleteObjectTaggingCommand(about));
  t.deepEqual(await tagsOf(about), {});
});

test('a tag that S3 does not allow is InvalidTag, and the tags stay', async (t) => {
  const about = { Bucket: await newBucket('limits'), Key: 'a' };
  await put(about, 'kept=1');
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '']));
  const wrong: readonly Tags[] = [
    ...[many(11), { ['k'.repeat(129)]: '' }, { k: 'v'.repeat(257) }],
    ...[{ '': 'v' }, { 'aws:k': '' }, { 'k?': '' }, { k: '<' }],
  ];
  for (const tags of wrong) {
    const command = new PutObjectTaggingCommand({ ...about, Tagging: tagging(tags) });
    t.is(await outcomeOf(server.client().send(command)), '400 InvalidTag');
  }
  const TagSet = [
    { Key: 'k', Value: '1' },
    { Key: 'k', Value: '2' },
  ];
  const twice = new PutObjectTaggingCommand({ ...about, Tagging: { TagSet } });
  t.is(await outcomeOf(server.client().send(twice)), '400 InvalidTag');
  for (const Tagging of ['k=1&k=2', 'k=%zz']) {
    const sent = server.client().send(new PutObjectCommand({ ...about, Tagging }));
    t.is(await outcomeOf(sent), '400 InvalidArgument');
  }
  t.deepEqual(await tagsOf(about), { kept: '1' });
  const longest = { ['ö'.repeat(128)]: 'ö'.repeat(256), ...many(9) };
  const Tagging = tagging(longest);
  await server.client().send(new PutObjectTaggingCommand({ ...about, Tagging }));
  t.deepEqual(await tagsOf(about), longest);
});

test('an object is created, completed, copied and renamed with tags, and replaced without', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('made'), Key: 'a' };
  await put(about, 'b=2&a%20b=c+d&none');
  const tags = { 'a b': 'c d', b: '2', none: '' };
  t.deepEqual(await tagsOf(about), tags);

  const copy = (Key: string, more: object = {}) =>
    alice.send(new CopyObjectCommand({ Bucket: about.Bucket, Key, CopySource: 'made/a', ...more }));
  await copy('b');
  t.deepEqual(await tagsOf({ ...about, Key: 'b' }), tags);
  await copy('b', { TaggingDirective: 'REPLACE', Tagging: 'new=1' });
  t.deepEqual(await tagsOf({ ...about, Key: 'b' }), { new: '1' });
  await copy('a', { MetadataDirective: 'REPLACE', Metadata: { m: '1' } });
  t.deepEqual(await tagsOf(about), tags);
  t.is(await outcomeOf(copy('b', { Tagging: 'ignored=1' })), '400 InvalidArgument');

  await server.storage.renameObject({ bucket: 'made', from: 'a', key: 'c' });
  t.deepEqual((await server.storage.getObjectTagging({ bucket: 'made', key: 'c' })).tags, tags);

  const { UploadId } = await alice.send(
    new CreateMultipartUploadCommand({ ...about, Tagging: 'of=upload' }),
  );
  const part = { ...about, UploadId, PartNumber: 1 };
  const { ETag } = await alice.send(new UploadPartCommand({ ...part, Body: 'x' }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await alice.send(new CompleteMultipartUploadCommand({ ...about, UploadId, MultipartUpload }));
  t.deepEqual(await tagsOf(about), { of: 'upload' });
  await put(about);
  t.deepEqual(await tagsOf(about), {});
});

test('callers with only WRITE or READ on a bucket can neither set, read nor copy tags', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const about = { Bucket: await newBucket('shared'), Key: 'a' };
  await put(about, 'secret=1');
  const grantee = { Grantee: { Type: 'CanonicalUser' as const, ID: 'u-bob' } };
  const list = (Permission: 'READ' | 'FULL_CONTROL') =>
    new PutObjectAclCommand({
      ...about,
      AccessControlPolicy: { Grants: [{ ...grantee, Permission }] },
    });
  await alice.send(list('READ'));
  const set = { ...about, Tagging: tagging({ by: 'bob' }) };
  const attempts = () => [
    bob.send(new PutObjectTaggingCommand(set)),
    bob.send(new DeleteObjectTaggingCommand(about)),
    bob.send(new GetObjectTaggingCommand(about)),
    bob.send(new PutObjectCommand({ ...about, Key: 'b', Tagging: 'by=bob' })),
    bob.send(new CreateMultipartUploadCommand({ ...about, Key: 'b', Tagging: 'by=bob' })),
    bob.send(new CopyObjectCommand({ ...about, Key: 'b', CopySource: 'shared/a' })),
  ];
  for (const attempt of attempts()) t.is(await outcomeOf(attempt), '403 AccessDenied');
  t.is((await bob.send(new HeadObjectCommand(about))).TagCount, undefined);
  t.deepEqual(await tagsOf(about), { secret: '1' });
  const bare = { ...about, Key: 'b', TaggingDirective: 'REPLACE' as const };
  await bob.send(new CopyObjectCommand({ ...bare, CopySource: 'shared/a' }));

  await alice.send(list('FULL_CONTROL'));
  await alice.send(new PutBucketAclCommand({ Bucket: about.Bucket, ACL: 'private' }));
  t.is(await outcomeOf(bob.send(new PutObjectTaggingCommand(set))), '403 AccessDenied');
  t.is(await outcomeOf(bob.send(new DeleteObjectTaggingCommand(about))), '403 AccessDenied');
  await alice.send(new PutBucketAclCommand({ Bucket: about.Bucket, ACL: 'public-read-write' }));
  await bob.send(new PutObjectTaggingCommand(set));
  t.is((await bob.send(new HeadObjectCommand(about))).TagCount, 1);
  t.deepEqual(await tagsOf(about), { by: 'bob' });
});

test('setting or copying tags requires permission until the end, and for both objects', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const about = { Bucket: 'rights', Key: 'a' };
  const GrantFullControl = 'id=u-bob';
  await alice.send(new CreateBucketCommand({ Bucket: about.Bucket, GrantFullControl }));
  await put(about, 'k=v');
  const { UploadId } = await bob.send(
    new CreateMultipartUploadCommand({ ...about, Key: 'b', Tagging: 'by=bob' }),
  );
  const part = { ...about, Key: 'b', UploadId, PartNumber: 1 };
  const { ETag } = await bob.send(new UploadPartCommand({ ...part, Body: 'x' }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  const complete = () =>
    bob.send(new CompleteMultipartUploadCommand({ ...about, Key: 'b', UploadId, MultipartUpload }));
  await alice.send(new PutBucketAclCommand({ Bucket: about.Bucket, ACL: 'public-read-write' }));
  await alice.send(new PutObjectAclCommand({ ...about, GrantRead: 'id=u-bob' }));
  t.is(await outcomeOf(complete()), '403 AccessDenied');

  await bob.send(new CreateBucketCommand({ Bucket: 'own-of-bob' }));
  const copy = { Bucket: 'own-of-bob', Key: 'c', CopySource: 'rights/a' };
  t.is(await outcomeOf(bob.send(new CopyObjectCommand(copy))), '403 AccessDenied');
  await alice.send(new PutBucketAclCommand({ Bucket: about.Bucket, GrantFullControl }));
  t.is(await outcomeOf(complete()), 'done');
  t.is(await outcomeOf(bob.send(new CopyObjectCommand(copy))), 'done');
});

test('tags of a bucket are set, read and removed by its owner', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const Bucket = await newBucket('of-bucket');
  const get = () => alice.send(new GetBucketTaggingCommand({ Bucket }));
  t.is(await outcomeOf(get()), '404 NoSuchTagSet');
  const set = (tags: Tags) => new PutBucketTaggingCommand({ Bucket, Tagging: tagging(tags) });
  const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, '']));
  await alice.send(set(fifty));
  t.is((await get()).TagSet?.length, 50);
  t.is(await outcomeOf(alice.send(set({ ...fifty, more: '' }))), '400 InvalidTag');
  t.is(await outcomeOf(bob.send(set({ by: 'bob' }))), '403 AccessDenied');
  await alice.send(new DeleteBucketTaggingCommand({ Bucket }));
  t.is(await outcomeOf(get()), '404 NoSuchTagSet');

  const made = (Value: string) => {
    const CreateBucketConfiguration = { Tags: [{ Key: 'made', Value }] };
    return alice.send(new CreateBucketCommand({ Bucket: 'with-tags', CreateBucketConfiguration }));
  };
  await made('1');
  const { TagSet } = await alice.send(new GetBucketTaggingCommand({ Bucket: 'with-tags' }));
  t.deepEqual(TagSet, [{ Key: 'made', Value: '1' }]);
  t.is(await outcomeOf(made('1')), 'done');
  t.is(await outcomeOf(made('2')), '409 BucketAlreadyExists');
});

test('a program can set and read tags', async (t) => {
  const about = { bucket: await newBucket('by-others'), key: 'a' };
  await server.storage.putObject({ ...about, body: 'x', tags: { b: '2', a: '1' } });
  t.deepEqual((await server.storage.getObjectTagging(about)).tags, { a: '1', b: '2' });
  t.is((await server.storage.getObjectMeta(about)).tagCount, 2);
  const wrong = server.storage.putObjectTagging({ ...about, tags: { 'no!': '' } });
  await t.throwsAsync(wrong, { message: /no!/ });
});

test('a caller who may add but not change objects cannot set tags of existing ones', async (t) => {
  const bob = server.client('bob');
  const about = { Bucket: await newBucket('drop-box'), Key: 'inbox/a' };
  await put(about, 'kind=kept');
  const bobs = { grantee: [{ id: 'u-bob' }], resource: ['drop-box/inbox/*'] };
  const accessControlList = [
    { ...bobs, permission: ['FULL_CONTROL' as const] },
    { ...bobs, permission: ['MODIFY' as const], effect: 'Deny' as const },
  ];
  await server.storage.putBucketAcl({ bucket: about.Bucket, accessControlList });
  const Tagging = tagging({ kind: 'draft' });
  t.is(
    await outcomeOf(bob.send(new PutObjectTaggingCommand({ ...about, Tagging }))),
    '403 AccessDenied',
  );
  t.is(await outcomeOf(bob.send(new DeleteObjectTaggingCommand(about))), '403 AccessDenied');
  t.deepEqual(await tagsOf(about), { kind: 'kept' });
});
