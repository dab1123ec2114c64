import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '@baiducloud/sdk';
import test from 'ava';
import { outcomeOf, type RunningService, startService, TOKEN } from './server.js';

let service: RunningService;
test.before(async () => {
  service = await startService({ at: '/storage' });
  for (const bucket of ['objects', 'uploads']) await service.client().createBucket(bucket);
});
test.after.always(() => service.close());
test.after('no request caused an internal failure', (t) => t.deepEqual(service.failures, []));

const HELLO = '5eb63bbbe01eeed093cb22bb8f5acdc3';

test('buckets are created, found, listed and deleted', async (t) => {
  const client = service.client();
  const { http_headers: headers } = await client.createBucket('first');
  t.is(headers.location, '/first');
  t.is(await outcomeOf(client.createBucket('first')), '409 BucketAlreadyExists');
  t.is(await outcomeOf(client.createBucket('No_Name')), '400 InvalidBucketName');
  t.true(await client.doesBucketExist('first'));
  t.false(await client.doesBucketExist('second'));
  const { buckets } = (await client.listBuckets()).body;
  t.true(buckets.some(({ name }) => name === 'first'));
  t.is((await client.getBucketLocation('first')).body.locationConstraint, 'local');
  await client.putObject('first', 'key', Buffer.from('x'));
  t.is(await outcomeOf(client.deleteBucket('first')), '409 BucketNotEmpty');
  await client.deleteObject('first', 'key');
  t.is(await outcomeOf(client.deleteObject('first', 'key')), '404 NoSuchKey');
  await client.deleteBucket('first');
  t.is(await outcomeOf(client.listObjects('first')), '404 NoSuchBucket');
});

test('objects are stored from strings, buffers and files, and read back', async (t) => {
  const client = service.client();
  const bucket = 'objects';
  const key = 'a/ü b+c&<>.txt';
  const described = {
    ...{ 'Content-Type': 'text/plain', 'Cache-Control': 'no-cache', 'x-bce-meta-Colour': 'blue' },
    ...{ 'x-bce-meta-empty': '', 'x-bce-storage-class': 'COLD' },
  };
  const put = await client.putObjectFromString(bucket, key, 'hello world', described);
  t.like(put.http_headers, { etag: HELLO, 'content-md5': 'XrY7u+Ae7tCTyyK7j1rNww==' });
  const got = await client.getObject(bucket, key);
  t.is(got.body.toString(), 'hello world');
  t.like(got.http_headers, {
    ...{ etag: HELLO, 'content-type': 'text/plain', 'cache-control': 'no-cache' },
    ...{ 'x-bce-meta-colour': 'blue', 'x-bce-storage-class': 'COLD' },
  });
  t.false('x-bce-meta-empty' in got.http_headers);
  t.is((await client.getObject(bucket, key, '6-8')).body.toString(), 'wor');
  t.is(await outcomeOf(client.getObject(bucket, key, '11-')), '416 InvalidRange');
  const { http_headers: meta } = await client.getObjectMetadata(bucket, key);
  t.like(meta, { etag: HELLO, 'content-length': '11' });

  const [from, to] = ['from', 'to'].map((name) => join(tmpdir(), `${name}-${process.pid}`));
  await writeFile(from as string, 'from a file');
  await client.putObjectFromFile(bucket, 'file', from as string);
  await client.getObjectToFile(bucket, 'file', to as string);
  t.is(await readFile(to as string, 'utf8'), 'from a file');
  await Promise.all([from, to].map((path) => rm(path as string)));
  await client.putObject(bucket, 'buffer', Buffer.alloc(100_000, 'x'));
  t.is((await client.getObject(bucket, 'buffer')).body.length, 100_000);
  const digest = { 'x-bce-content-sha256': '0'.repeat(64) };
  const wrong = client.putObject(bucket, 'wrong', Buffer.from('x'), digest);
  t.is(await outcomeOf(wrong), '400 BadDigest');

  const { body: page } = await client.listObjects(bucket, { maxKeys: 1 });
  t.is(page.isTruncated, true);
  t.like(page.contents[0], { key, eTag: HELLO, size: 11 });
  const { body: folders } = await client.listObjects(bucket, { delimiter: '/', prefix: '' });
  t.deepEqual(folders.commonPrefixes, [{ prefix: 'a/' }]);
  const { body: rest } = await client.listObjects(bucket, { marker: page.nextMarker });
  t.deepEqual(
    rest.contents.map((object) => object.key),
    ['buffer', 'file'],
  );
  const removed = await client.deleteMultipleObjects(bucket, ['buffer', 'file', 'none']);
  t.like(removed.body.errors?.[0], { key: 'none', code: 'NoSuchKey' });
  t.deepEqual((await client.deleteMultipleObjects(bucket, [key])).body, {});
});

test('objects are copied, get new metadata, and are appended to', async (t) => {
  const client = service.client();
  await client.createBucket('copies');
  const [bucket, key] = ['copies', 'ü ?.txt'];
  const type = { 'Content-Type': 'text/plain', 'x-bce-meta-a': '1' };
  await client.putObjectFromString('copies', key, 'hello world', type);
  const { body: copied } = await client.copyObject(bucket, key, bucket, 'copy');
  t.is(copied.eTag, HELLO);
  t.like((await client.getObjectMetadata(bucket, 'copy')).http_headers, { 'x-bce-meta-a': '1' });
  const replace = { 'x-bce-metadata-directive': 'replace', 'x-bce-meta-b': '2' };
  await client.copyObject(bucket, 'copy', bucket, 'copy', replace);
  const { http_headers: anew } = await client.getObjectMetadata(bucket, 'copy');
  t.is(anew['x-bce-meta-b'], '2');
  await client.copyObject(bucket, key, bucket, 'same', { ETag: HELLO });
  const other = client.copyObject(bucket, key, bucket, 'other', { ETag: '0'.repeat(32) });
  t.is(await outcomeOf(other), '412 PreconditionFailed');

  const first = await client.appendObjectFromString(bucket, 'log', 'one,');
  t.is(first.http_headers['x-bce-next-append-offset'], '4');
  await client.appendObjectFromString(bucket, 'log', 'two', 4);
  t.is((await client.getObject(bucket, 'log')).body.toString(), 'one,two');
  const { http_headers: log } = await client.getObjectMetadata(bucket, 'log');
  t.like(log, { 'x-bce-object-type': 'Appendable', 'x-bce-next-append-offset': '7' });
  const late = client.appendObjectFromString(bucket, 'log', 'x', 4);
  t.is(await outcomeOf(late), '409 OffsetIncorrect');
  const normal = client.appendObjectFromString(bucket, 'copy', 'x', 11);
  t.is(await outcomeOf(normal), '403 ObjectUnappendable');
});

test('an object is uploaded in parts: from a file, from a copy, and with the SDK’s helper', async (t) => {
  const client = service.client();
  const [bucket, key] = ['uploads', 'big ü'];
  const file = join(tmpdir(), `parts-${process.pid}`);
  await writeFile(file, Buffer.alloc(250_000, 'p'));
  const type = { 'Content-Type': 'text/plain' };
  const { uploadId } = (await client.initiateMultipartUpload(bucket, key, type)).body;
  const sent = await client.uploadPartFromFile(bucket, key, uploadId, 1, 150_000, file, 100_000);
  await client.putObjectFromString(bucket, 'tail', 'tail');
  const { body: tail } = await client.uploadPartCopy(bucket, 'tail', bucket, key, uploadId, 2);
  const { parts } = (await client.listParts(bucket, key, uploadId)).body;
  const wanted = [sent.http_headers.etag, tail.eTag];
  t.deepEqual(
    parts.map(({ eTag }) => eTag),
    wanted as string[],
  );
  const { uploads } = (await client.listMultipartUploads(bucket)).body;
  t.true(uploads.some((upload) => upload.key === key));
  const listed = parts.map(({ partNumber, eTag }) => ({ partNumber, eTag }));
  const meta = { 'x-bce-meta-parts': '2' };
  const done = await client.completeMultipartUpload(bucket, key, uploadId, listed, meta);
  t.is(done.body.location, `${service.endpoint}/uploads/big%20%C3%BC`);
  const { http_headers: whole } = await client.getObjectMetadata(bucket, key);
  t.like(whole, { 'content-length': '150004', etag: done.body.eTag, 'x-bce-meta-parts': '2' });

  const again = (await client.initiateMultipartUpload(bucket, 'gone')).body.uploadId;
  await client.abortMultipartUpload(bucket, 'gone', again);
  t.is(await outcomeOf(client.listParts(bucket, 'gone', again)), '404 NoSuchUpload');

  for (const data of [file, Buffer.alloc(250_000, 'q')]) {
    const uploaded = await new Promise<string>((resolve) => {
      const onStateChange = (state: string) => {
        if (state === 'completed' || state === 'failed') resolve(state);
      };
      const upload = { bucketName: bucket, objectName: 'super', data, chunkSize: 102_400 };
      void client.putSuperObject({ ...upload, onStateChange }).start();
    });
    t.is(uploaded, 'completed');
    t.is((await client.getObject(bucket, 'super')).body.length, 250_000);
  }
  await rm(file);
});

test('the caller is the signer, and failures have all details', async (t) => {
  const bob = service.client('bob');
  t.is(await outcomeOf(bob.listObjects('objects')), '403 AccessDenied');
  const signed = (ak: string, sk: string, settings = {}) =>
    outcomeOf(service.client('alice', { credentials: { ak, sk }, ...settings }).listBuckets());
  t.is(await signed('AKNOBODY', 'x'), '403 InvalidAccessKeyId');
  t.is(await signed('AKALICE', 'x'), '403 SignatureDoesNotMatch');
  t.is(await signed('AKTEMPORARY', 'for a day'), '400 InvalidSessionToken');
  t.is(await signed('AKTEMPORARY', 'for a day', { sessionToken: TOKEN }), 'done');
  const failure = await bob.getObject('nowhere', 'key').then(
    () => t.fail('There is no such bucket.'),
    (error: Failure) => error,
  );
  t.like(failure, { status_code: 404, code: 'NoSuchBucket' });
  t.regex((failure as Failure).request_id, /^[0-9a-f-]{36}$/);
});
