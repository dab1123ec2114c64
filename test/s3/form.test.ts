import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(carriers.express5);
test.before(async () => {
  await server.client().send(new CreateBucketCommand({ Bucket: 'forms' }));
});

const TAGGING = '<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>';

/** A form that alice has signed, with changed or added fields. */
async function formFor(
  key: string,
  file: string,
  changed: Record<string, string> = {},
  signed: Record<string, string> = {},
) {
  const client = server.client();
  const Conditions = [['content-length-range', 1, 100] as const, { 'x-amz-meta-colour': 'red' }];
  const Fields = { 'x-amz-meta-colour': 'red', tagging: TAGGING, ...signed };
  const post = await createPresignedPost(client, {
    ...{ Bucket: 'forms', Key: key, Fields },
    Conditions: Conditions as never,
  });
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...post.fields, ...changed })) form.set(name, value);
  form.set('file', new Blob([file], { type: 'text/plain' }), 'cat "1".txt');
  return { url: post.url, form };
}

const get = (Key: string) => server.client().send(new GetObjectCommand({ Bucket: 'forms', Key }));

test('a form sent by a browser uploads its file with the signed fields', async (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: S3 writes it so in forms
  const { url, form } = await formFor('${filename}', 'meow');
  const headers = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
  const answer = await fetch(url, { method: 'POST', body: form, headers });
  t.is(answer.status, 204, await answer.text());
  const object = await get('cat "1".txt');
  t.is(await object.Body?.transformToString(), 'meow');
  t.deepEqual(object.Metadata, { colour: 'red' });
  const about = { Bucket: 'forms', Key: 'cat "1".txt' };
  const { TagSet } = await server.client().send(new GetObjectTaggingCommand(about));
  t.deepEqual(TagSet, [{ Key: 'a', Value: '1' }]);
});

test('a form that violates its policy is rejected, and stores nothing', async (t) => {
  const attempts = {
    forged: await formFor('a', 'meow', { key: 'b' }),
    added: await formFor('a', 'meow', { acl: 'public-read' }),
    altered: await formFor('a', 'meow', { 'x-amz-meta-colour': 'blue' }),
    long: await formFor('a', 'x'.repeat(101)),
    short: await formFor('a', ''),
  };
  const codes: Record<string, string | undefined> = {};
  for (const [name, { url, form }] of Object.entries(attempts)) {
    const answer = await fetch(url, { method: 'POST', body: form });
    codes[name] = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1];
  }
  t.deepEqual(codes, {
    ...{ forged: 'AccessDenied', added: 'AccessDenied', altered: 'AccessDenied' },
    ...{ long: 'EntityTooLarge', short: 'EntityTooSmall' },
  });
  for (const key of ['a', 'b']) t.is(await outcomeOf(get(key)), '404 NoSuchKey');
});

test('unsupported fields of a form are rejected, and the existing object stays', async (t) => {
  await server.client().send(new PutObjectCommand({ Bucket: 'forms', Key: 'kept', Body: 'old' }));
  const conditions = {
    ...{ 'if-none-match': '*', 'If-Match': '"x"', 'forbid-overwrite': 'true' },
    ...{ 'x-svc-forbid-overwrite': 'true', 'X-Bce-Forbid-Overwrite': 'true' },
    ...{ 'x-oss-forbid-overwrite': 'true', 'x-cos-acl': 'private', 'x-amz-if-none-match': '*' },
    ...{ Digest: 'sha-256=x', 'Content-Digest': 'sha-256=:x:', 'content-range': 'bytes 0-2/9' },
  };
  for (const [name, value] of Object.entries(conditions)) {
    const { url, form } = await formFor('kept', 'new', {}, { [name]: value });
    const answer = await fetch(url, { method: 'POST', body: form });
    t.regex(await answer.text(), /NotImplemented/, name);
  }
  const zeros = (count: number) => Buffer.alloc(count).toString('base64');
  const headers: readonly [string, string][] = [
    ['if-none-match', '*'],
    ['content-md5', zeros(16)],
    ['x-amz-content-sha256', '0'.repeat(64)],
    ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
    ['x-amz-checksum-crc32', zeros(4)],
    ['x-amz-trailer', 'x-amz-checksum-crc32'],
    ['authorization', 'AWS4-HMAC-SHA256 Credential=x'],
  ];
  for (const [name, value] of headers) {
    const { url, form } = await formFor('kept', 'new');
    const answer = await fetch(url, { method: 'POST', body: form, headers: { [name]: value } });
    t.regex(await answer.text(), /NotImplemented|InvalidRequest/, name);
  }
  for (const query of ['X-Amz-Signature=0', 'AWSAccessKeyId=AKALICE&Signature=0']) {
    const { url, form } = await formFor('kept', 'new');
    const answer = await fetch(`${url}?${query}`, { method: 'POST', body: form });
    t.regex(await answer.text(), /InvalidRequest/, query);
  }
  t.is(await (await get('kept')).Body?.transformToString(), 'old');
});

test('the type of an object is that of the signed field, not that of the file part', async (t) => {
  const plain = await formFor('typed', '<script>');
  t.is((await fetch(plain.url, { method: 'POST', body: plain.form })).status, 204);
  t.is((await get('typed')).ContentType, 'application/octet-stream');
  const typed = await formFor('typed', 'a,b', {}, { 'Content-Type': 'text/csv' });
  t.is((await fetch(typed.url, { method: 'POST', body: typed.form })).status, 204);
  t.is((await get('typed')).ContentType, 'text/csv');
});

test('a form with an invalid key is rejected', async (t) => {
  for (const key of ['a\0', 'x'.repeat(1024)]) {
    const { url, form } = await formFor(key, 'meow');
    const answer = await fetch(url, { method: 'POST', body: form });
    t.regex(await answer.text(), /KeyTooLongError/);
  }
});

test('a form without a policy is anonymous, even for authenticated users', async (t) => {
  const form = new FormData();
  form.set('key', 'mine');
  // More than all buffers on the way can hold.
  form.set('file', new Blob([Buffer.alloc(20 * 2 ** 20)]));
  const headers = { authorization: 'Bearer alice' };
  const answer = await fetch(`${server.url}/forms`, { method: 'POST', body: form, headers });
  t.is(answer.status, 403);
});

test('a body that is not a form, or has no file, is rejected', async (t) => {
  const url = `${server.url}/forms`;
  const type = { 'content-type': 'multipart/form-data; boundary=x' };
  for (const body of [
    '',
    '--x\r\n',
    '--x--\r\n',
    '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\na\r\n--x--',
  ]) {
    const answer = await fetch(url, { method: 'POST', body, headers: type });
    t.is(answer.status, 400);
    t.regex(await answer.text(), /MalformedPOSTRequest/);
  }
  t.is((await fetch(url, { method: 'POST', body: '{}' })).status, 400);
});
