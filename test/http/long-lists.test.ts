import test from 'ava';
import { alice, bob } from './servers.js';
import { block, createFixture, outcome, uploadOf } from './soundness.js';

const bucket = 'lists';

/** So long that it needs a separate record. */
const list = (...ids: readonly string[]) => [
  {
    grantee: [...ids, ...Array.from({ length: 90 }, (_, at) => `reader-number-${at}`)].map(
      (id) => ({
        id,
        tenantId: bob.tenantId,
      }),
    ),
    permission: ['READ' as const],
  },
];

async function begin() {
  const place = await createFixture();
  const user = place.storage.as(alice);
  await user.putBucket({ bucket });
  const put = (key: string) => user.putObject({ bucket, key, body: key });
  const setList = (key: string, ...ids: readonly string[]) =>
    user.putObjectAcl({ bucket, key, accessControlList: list(...ids) });
  const reads = (key: string) => outcome(place.storage.as(bob).getObject({ bucket, key }));
  const listOf = async (key: string) =>
    (await user.getObjectAcl({ bucket, key })).accessControlList as unknown;
  return { place, user, put, setList, reads, listOf };
}

test('a long list applies like a short one, wherever its object is copied or renamed', async (t) => {
  const { place, user, put, setList, reads, listOf } = await begin();
  await put('a');
  t.is(await reads('a'), 'AccessDenied');
  await setList('a', bob.userId);
  t.is(await reads('a'), 'done');
  t.deepEqual(await listOf('a'), list(bob.userId));
  const records = await place.metadata.list({ prefix: 'o/', limit: 9 });
  t.false(JSON.stringify(records).includes('reader-'), 'a listing reads no long list');
  await user.renameObject({ bucket, key: 'b', from: 'a' });
  t.is(await reads('b'), 'done');
  const ontoItself = { bucket, key: 'b', source: { bucket, key: 'b' } };
  await user.copyObject({ ...ontoItself, metadataDirective: 'replace' });
  t.is(await reads('b'), 'done');
  t.deepEqual((await place.settle()).records, { a: 1, c: 0, g: 0, i: 1, m: 0, p: 0, u: 0 });
  await setList('b', 'somebody');
  t.is(await reads('b'), 'AccessDenied');
  t.deepEqual((await place.settle()).records, { a: 1, c: 0, g: 0, i: 1, m: 0, p: 0, u: 0 });
  await user.putBucketAcl({
    bucket,
    accessControlList: [
      { grantee: [{ id: bob.userId, tenantId: bob.tenantId }], permission: ['READ'] },
    ],
  });
  t.is(await reads('b'), 'AccessDenied');
  await user.deleteObjectAcl({ bucket, key: 'b' });
  t.is(await reads('b'), 'done');
  t.is(await outcome(user.getObjectAcl({ bucket, key: 'b' })), 'ObjectAclNotExists');
  await put('b');
  t.is((await place.settle()).records.a, 0);
  await place.close();
});

test('a list in the record of its object, as earlier versions stored it, applies', async (t) => {
  const { place, put, setList, reads, listOf } = await begin();
  await put('old');
  const [entry] = await place.metadata.list({ prefix: 'o/', limit: 1 });
  const value = { ...(entry?.value as object), acl: list(bob.userId) };
  await place.metadata.commit({ put: [{ key: entry?.key ?? '', value }] });
  t.is(await reads('old'), 'done');
  t.deepEqual(await listOf('old'), list(bob.userId));
  await setList('old', 'somebody');
  t.is(await reads('old'), 'AccessDenied');
  t.is((await place.settle()).records.a, 1);
  await place.close();
});

test('a long list is removed with its object or upload, and none is left over', async (t) => {
  const { place, user, put, setList, reads } = await begin();
  const left = async () => {
    const { missing, orphans, records } = await place.settle();
    t.deepEqual([missing, orphans, records.g], [[], [], 0]);
    return records.a;
  };
  const grantRead = list(bob.userId)[0]?.grantee ?? [];
  const begun = (key: string) => user.initiateMultipartUpload({ bucket, key, grantRead });
  for (const key of ['deleted', 'replaced', 'moved over', 'expired', 'in a batch']) {
    await put(key);
    await setList(key, bob.userId);
  }
  t.is(await left(), 5);
  await user.deleteObject({ bucket, key: 'deleted' });
  await put('replaced');
  await user.renameObject({ bucket, key: 'moved over', from: 'replaced' });
  await user.deleteMultipleObjects({ bucket, objects: [{ key: 'in a batch' }] });
  t.is(await left(), 1);
  const rule = {
    id: 'all',
    status: 'enabled',
    resource: [`${bucket}/expired*`],
    action: 'DeleteObject',
  } as const;
  await user.putBucketLifecycle({ bucket, rule: [rule] });
  await place.storage.lifecycle.run();
  t.is(await left(), 0);

  const { uploadId } = await begun('aborted');
  t.is(await left(), 1);
  await user.abortMultipartUpload({ bucket, key: 'aborted', uploadId });
  t.is(await left(), 0);
  const { uploadId: second } = await begun('completed');
  const { etag } = await user.uploadPart({
    ...{ bucket, key: 'completed', uploadId: second, partNumber: 1 },
    body: block('a'),
  });
  const parts = [{ partNumber: 1, etag }];
  await user.completeMultipartUpload({ bucket, key: 'completed', uploadId: second, parts });
  t.is(await reads('completed'), 'done');
  t.is(await left(), 1);
  t.is((await place.storage.scrub()).found, 0);
  for (const key of ['completed', 'moved over']) await user.deleteObject({ bucket, key });
  await begun('with its bucket');
  await uploadOf(place.storage, bucket, 'too', [block('b')]);
  await user.deleteBucket({ bucket });
  t.is(await left(), 0);
  await place.close();
});
