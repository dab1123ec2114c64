import test from 'ava';
import { outcomeOf, type RunningService, startService } from './server.js';

let service: RunningService;
test.before(async () => {
  service = await startService({ at: '/storage' });
});
test.after.always(() => service.close());
test.after('no request caused an internal failure', (t) => t.deepEqual(service.failures, []));

/** A bucket of alice with one object. */
async function bucketOf(bucket: string) {
  const client = service.client();
  await client.createBucket(bucket);
  await client.putObjectFromString(bucket, 'key', 'hello', { 'Content-Type': 'text/plain' });
  return client;
}

const READ = [{ grantee: [{ id: 'u-bob' }], permission: ['READ'] }];

test('access control lists make a bucket and an object public, and private again', async (t) => {
  const client = await bucketOf('shared');
  const bob = service.client('bob');
  const read = () => outcomeOf(bob.getObject('shared', 'key'));
  t.is(await read(), '403 AccessDenied');
  await client.setBucketAcl('shared', READ);
  t.is(await read(), 'done');
  t.deepEqual((await client.getBucketAcl('shared')).body.accessControlList, READ);
  await client.setBucketCannedAcl('shared', 'private');
  t.is(await read(), '403 AccessDenied');

  await client.putObjectCannedAcl('shared', 'key', 'public-read');
  t.is(await read(), 'done');
  await client.putObjectAcl('shared', 'key', READ);
  t.deepEqual((await client.getObjectAcl('shared', 'key')).body.accessControlList, READ);
  await client.deleteObjectAcl('shared', 'key', {});
  t.is(await outcomeOf(client.getObjectAcl('shared', 'key')), '404 ObjectAclNotExists');
  t.is(await read(), '403 AccessDenied');
  const grant = { 'x-bce-grant-read': 'id="u-bob"' };
  await client.putObjectFromString('shared', 'key', 'hello', grant);
  t.is(await read(), 'done');
  t.is(await outcomeOf(client.setBucketCannedAcl('shared', 'open')), '400 InvalidArgument');
});

test('lifecycle rules are set, read and deleted; a preflight follows the CORS rules', async (t) => {
  const client = await bucketOf('rules');
  const rule = {
    ...{ id: 'old-logs', status: 'enabled', resource: ['rules/logs/*'] },
    condition: { time: { dateGreaterThan: '$(lastModified)+P30D' } },
    action: { name: 'DeleteObject' },
  };
  await client.putBucketLifecycle('rules', { rule: [rule] });
  t.deepEqual((await client.getBucketLifecycle('rules')).body.rule, [rule]);
  await client.deleteBucketLifecycle('rules');
  t.is(await outcomeOf(client.getBucketLifecycle('rules')), '404 NoLifecycleConfiguration');

  const origin = 'https://app.example';
  const asking = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
  t.is(await outcomeOf(client.optionsObject('rules', 'key', asking)), '403 AccessDenied');
  const allowedHeaders = ['x-bce-*'];
  await service.storage.putBucketCors({
    bucket: 'rules',
    corsConfiguration: [
      {
        ...{ allowedOrigins: [origin], allowedMethods: ['GET'], allowedHeaders },
        allowedExposeHeaders: ['x-bce-request-id'],
      },
    ],
  });
  const named = { ...asking, 'Access-Control-Request-Headers': 'x-bce-date' };
  const { http_headers: headers } = await client.optionsObject('rules', 'key', named);
  t.like(headers, {
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'x-bce-date',
    'access-control-expose-headers': 'x-bce-request-id',
  });
});

test('a presigned URL gives access to one object, as signed and until it expires', async (t) => {
  const client = await bucketOf('links');
  const open = async (url: string) => {
    const answer = await fetch(url);
    const text = await answer.text();
    return text.startsWith('{"code"') ? `${answer.status} ${JSON.parse(text).code}` : text;
  };
  const link = client.generatePresignedUrl('links', 'key');
  t.true(link.startsWith(`${service.endpoint}/v1/links/key?authorization=`));
  t.is(await open(link), 'hello');
  t.is(await open(link.replace('/key?', '/other?')), '403 SignatureDoesNotMatch');
  t.is(await open(`${link}&responseContentType=text%2Fhtml`), '403 SignatureDoesNotMatch');
  const longAgo = client.generatePresignedUrl('links', 'key', 1_700_000_000, 60);
  t.is(await open(longAgo), '400 RequestExpired');
  const parameters = { 'x-bce-range': '1-3', responseContentType: 'text/x-part' };
  const part = client.generatePresignedUrl('links', 'key', undefined, 60, {}, parameters);
  const answer = await fetch(part);
  t.is(await answer.text(), 'ell');
  t.is(answer.headers.get('content-type'), 'text/x-part');

  const settings = {
    credentials: { ak: 'AKTEMPORARY', sk: 'for a day' },
    sessionToken: 'tok/en+==',
  };
  const temporary = service.client('alice', { ...settings, removeVersionPrefix: true });
  t.is(await open(temporary.generatePresignedUrl('links', 'key')), 'hello');
});

test('a form uploads what its policy allows, and nothing else', async (t) => {
  const client = await bucketOf('forms');
  const expiration = '2100-01-01T00:00:00Z';
  const upload = (key: string, conditions: readonly unknown[], options = {}) =>
    client.postObject('forms', key, Buffer.from('hello'), {
      ...{ policy: { expiration, conditions }, ...options },
    });
  const posted = await upload('a/b', [{ bucket: 'forms' }, { key: 'a/*' }], {
    ...{ 'Content-Type': 'text/plain', 'x-bce-meta-from': 'form' },
    'success-action-status': '201',
  });
  t.is(posted.http_headers.etag, '5d41402abc4b2a76b9719d911017c592');
  const { http_headers: stored } = await client.getObjectMetadata('forms', 'a/b');
  t.like(stored, { 'content-type': 'text/plain', 'x-bce-meta-from': 'form' });

  t.is(await outcomeOf(upload('b', [{ key: 'a/*' }])), '403 AccessDenied');
  t.is(await outcomeOf(upload('b', [{ bucket: 'other' }])), '403 AccessDenied');
  const long = upload('b', [['content-length-range', 0, 4]]);
  t.is(await outcomeOf(long), '400 MaxMessageLengthExceeded');
  const short = upload('b', [['content-length-range', 6, 9]]);
  t.is(await outcomeOf(short), '400 EntityTooSmall');
  const policy = { expiration: '2015-04-26T13:29:46Z', conditions: [] };
  const late = client.postObject('forms', 'b', Buffer.from('x'), { policy });
  t.is(await outcomeOf(late), '400 RequestExpired');
  const unsigned = client.postObject('forms', 'b', Buffer.from('x'));
  t.is(await outcomeOf(unsigned), '403 AccessDenied');
  const redirect = upload('c', [], { 'success-redirect-url': 'https://example.com/done' });
  t.is(await outcomeOf(redirect), '302');
  t.is(await outcomeOf(client.getObjectMetadata('forms', 'c')), 'done');
  t.is(await outcomeOf(client.getObjectMetadata('forms', 'b')), '404');
});

test('at the root of an app, and at a host that maps to a bucket', async (t) => {
  const root = await startService({ at: '/' });
  t.teardown(() => root.close());
  await root.client().createBucket('photos');
  await root.client().putObjectFromString('photos', 'v1/key', 'hello');
  t.is(await (await fetch(root.client().generatePresignedUrl('photos', 'v1/key'))).status, 200);

  const hosts = { '127.0.0.1': 'photos' };
  const site = await startService({ at: '/', hosts });
  t.teardown(() => site.close());
  await site.storage.putBucket({ bucket: 'photos', acl: 'public-read-write' });
  const client = site.client('bob', { cname_enabled: true, removeVersionPrefix: true });
  await client.putObjectFromString('photos', 'v1/key', 'hello');
  t.is((await client.getObject('photos', 'v1/key')).body.toString(), 'hello');
  t.is(await (await fetch(client.generatePresignedUrl('photos', 'v1/key'))).text(), 'hello');
  t.is((await site.storage.listObjects({ bucket: 'photos' })).contents[0]?.key, 'v1/key');
});
