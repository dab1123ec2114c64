import { s3Blobs } from '@bucketware/s3-blobs';
import test from 'ava';
import { credentials, serve, urlOf } from './fixtures.js';
import { type Fault, s3Store } from './store.js';

const refusals: readonly (readonly [Fault, RegExp])[] = [
  [{ status: 404, code: 'NoSuchBucket' }, /no such bucket/],
  [{ status: 403, code: 'AccessDenied' }, /another account/],
  [{ status: 403, code: 'InvalidAccessKeyId' }, /does not accept the credentials/],
  [{ status: 403, code: 'SignatureDoesNotMatch' }, /does not accept the credentials/],
  [{ status: 301, code: 'PermanentRedirect' }, /another region/],
  ['cut', /no usable response/],
];

test('a bucket that cannot be used is rejected with advice', async (t) => {
  for (const [fault, message] of refusals) {
    for (const name of ['GetObject', 'ListObjects']) {
      const store = await s3Store();
      store.fault = (seen) => (seen.name === name ? fault : undefined);
      const opening = s3Blobs({ url: urlOf(store), credentials, timeout: 1000 });
      const error = await t.throwsAsync(opening, { message });
      t.true(error.message.includes(`the bucket bucket at ${store.endpoint}`));
      await store.close();
    }
  }
  const closed = await s3Store();
  await closed.close();
  const opening = s3Blobs({ url: urlOf(closed), credentials, timeout: 1000 });
  await t.throwsAsync(opening, { code: 'EHOSTDOWN', message: /ECONNREFUSED/ });
});

test('an identity that is damaged, or has another layout, is rejected', async (t) => {
  const { store } = await serve(t);
  for (const [text, message] of [
    ['{"storageId":', /damaged/],
    ['{"storageId":"one","layout":2}', /another version/],
    ['{"layout":1}', /another version/],
  ] as const) {
    store.objects.set('pre/fix/storage.json', Buffer.from(text));
    await t.throwsAsync(s3Blobs({ url: urlOf(store), credentials }), { message });
  }
});

test('of two storages that claim the same blobs, the second is rejected', async (t) => {
  const { store, blobs } = await serve(t);
  const other = await s3Blobs({ url: urlOf(store), credentials });
  t.deepEqual([await blobs.identity(), await other.identity()], [undefined, undefined]);
  await blobs.identify('one');
  await t.throwsAsync(other.identify('two'), { message: /one has just claimed/ });
  await other.identify('one');
  t.is(await blobs.identity(), 'one');
  await other.close();
});

test('a store without support for conditions is used without them', async (t) => {
  for (const conditions of [false, 'refused'] as const) {
    const { store, blobs } = await serve(t);
    store.conditions = conditions;
    await blobs.identify('one');
    t.is(await blobs.identity(), 'one');
  }
});

test('invalid URLs are rejected before any request, without revealing secrets', async (t) => {
  for (const [url, message] of [
    ['http://bucket/prefix', /must look like s3:/],
    ['s3:///prefix', /name of a bucket/],
    ['s3://key:secret@bucket/prefix', /come from the environment/],
    ['s3://bucket:80/prefix', /name of a bucket/],
    ['s3://bucket/prefix#part', /after #/],
    ['s3://bucket/prefix?endpont=secret', /unknown parameter/],
    ['s3://bucket?region=a&region=b', /region twice/],
    ['s3://bucket?endpoint=localhost:80', /its endpoint must be/],
    ['s3://bucket?endpoint=http://key:secret@localhost', /its endpoint must be/],
    ['s3://bucket?pathStyle=yes', /true or false/],
    ['s3://bucket/%ff', /percent-encoded/],
    [`s3://bucket/${'x'.repeat(901)}`, /longer than 900/],
  ] as const) {
    const error = await t.throwsAsync(s3Blobs({ url, credentials }), {
      instanceOf: TypeError,
      message,
    });
    t.false(error.message.includes('secret'));
  }
});
