import type { HandlerOptions } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

/** A storage with a bucket to which everybody may upload. */
async function serve(t: ExecutionContext, options: HandlerOptions = {}) {
  const storage = await memoryStorage();
  const { origin, close } = await listen(onKoa(storage, options));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'inbox', acl: 'public-read-write' });
  await storage.as(alice).putBucket({ bucket: 'private' });
  const send = async (fields: Record<string, string>, more: Partial<Sent> = {}) => {
    const { file = 'meow', bucket = 'inbox', headers = {} } = more;
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new Blob([file], { type: 'text/plain' }), 'cat "1".txt');
    body.set('submit', 'Send');
    const init: RequestInit = { method: 'POST', body, headers, redirect: 'manual' };
    const answer = await fetch(`${origin}/${bucket}`, init);
    const text = await answer.text();
    return { answer, status: answer.status, json: text === '' ? {} : JSON.parse(text) };
  };
  return { storage, send, origin };
}

interface Sent {
  readonly file: string;
  readonly bucket: string;
  readonly headers: Record<string, string>;
}

test('a form uploads its file, with headers and metadata from its fields', async (t) => {
  const { storage, send, origin } = await serve(t, { headerPrefix: 'x-bce-' });
  const { answer } = await send({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: forms write it so
    key: 'pets/${filename}',
    'Cache-Control': 'no-cache',
    'X-Bce-Meta-Colour': 'grün',
    'x-bce-storage-class': 'cold',
    'x-bce-content-crc32': '2316331774',
  });
  t.is(answer.status, 200);
  t.is(answer.headers.get('etag'), '"4a4be40c96ac6314e91d93f38043a634"');
  t.is(answer.headers.get('content-md5'), 'SkvkDJasYxTpHZPzgEOmNA==');
  t.is(answer.headers.get('x-bce-content-crc32'), '2316331774');
  t.like(await storage.getObjectMeta({ bucket: 'inbox', key: 'pets/cat "1".txt' }), {
    ...{ contentType: 'application/octet-stream', cacheControl: 'no-cache', storageClass: 'COLD' },
    ...{ metadata: { colour: 'grün' }, size: 4 },
  });
  const created = await send({
    key: 'a',
    'Content-Type': 'text/x',
    'success-action-status': '201',
  });
  const location = `${origin}/inbox/a`;
  const eTag = '4a4be40c96ac6314e91d93f38043a634';
  t.deepEqual([created.status, created.json], [201, { bucket: 'inbox', key: 'a', eTag, location }]);
  t.is((await storage.getObjectMeta({ bucket: 'inbox', key: 'a' })).contentType, 'text/x');
  t.is((await send({ key: 'a', 'success-action-status': '204' })).status, 204);
  for (const field of ['success-redirect-url', 'success-action-redirect']) {
    const page = await send({ key: 'a', [field]: 'https://example.com/done?a=b' });
    t.is(page.status, 302);
    t.is(page.answer.headers.get('location'), 'https://example.com/done?a=b');
    t.is((await send({ key: 'a', [field]: 'javascript:alert(1)' })).status, 200);
  }
});

test('a form with a field or a file twice is rejected', async (t) => {
  const { storage, origin } = await serve(t);
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const post = async (...parts: string[]) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = `${parts.join('')}--x--\r\n`;
    return (await fetch(`${origin}/inbox`, { method: 'POST', headers, body })).status;
  };
  t.is(await post(part('key', 'a'), part('Key', 'b'), part('file', 'meow')), 400);
  t.is(await post(part('key', 'a'), part('file', 'meow'), part('File', 'purr')), 400);
  t.deepEqual((await storage.listObjects({ bucket: 'inbox' })).contents, []);
  t.is(await post(part('key', 'a'), part('File', 'meow')), 200);
});

test('a form that is not in UTF-8 is rejected, because its names could become those of others', async (t) => {
  const { storage, origin } = await serve(t);
  const post = async (key: string, fileName: string) => {
    const fields = `--x\r\nContent-Disposition: form-data; name="key"\r\n\r\n${key}\r\n`;
    const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`;
    const body = Buffer.from(`${fields}${file}meow\r\n--x--\r\n`, 'latin1');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await fetch(`${origin}/inbox`, { method: 'POST', body, headers });
    return { status: answer.status, text: await answer.text() };
  };
  for (const [key, name] of [
    ['café.txt', 'a'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: forms write it so
    ['${filename}', 'café.txt'],
  ] as const) {
    const { status, text } = await post(key, name);
    t.is(status, 400, text);
    t.regex(text, /UTF-8/);
  }
  t.deepEqual((await storage.listObjects({ bucket: 'inbox' })).contents, []);
  const utf8 = Buffer.from('\ufeffcafé.txt').toString('latin1');
  t.is((await post(utf8, 'a')).status, 200);
  const { contents } = await storage.listObjects({ bucket: 'inbox' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['\ufeffcafé.txt'],
  );
});

test('a form is anonymous even for authenticated users, and must come from a page on the same origin', async (t) => {
  const { send, storage } = await serve(t);
  const headers = { authorization: 'Bearer alice' };
  const { json } = await send({ key: 'a' }, { bucket: 'private', headers });
  t.is(json.code, 'AccessDenied');
  t.regex(json.message, /signed policy/);
  const page = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
  const foreign = await send({ key: 'a' }, { headers: page });
  t.is(foreign.json.code, 'AccessDenied');
  t.regex(foreign.json.message, /CORS/);
  t.is((await send({ key: 'a' }, { bucket: 'private', headers: page })).status, 403);
  const rule = { allowedOrigins: [page.origin], allowedMethods: ['POST' as const] };
  await storage.putBucketCors({ bucket: 'inbox', corsConfiguration: [rule] });
  t.is((await send({ key: 'a' }, { headers: page })).status, 200);
  t.is((await storage.listObjects({ bucket: 'private' })).contents.length, 0);
});

test('a form with unsupported fields, or one that is malformed, stores nothing', async (t) => {
  const { send, storage, origin } = await serve(t);
  const refused: [Record<string, string>, string][] = [
    [{}, 'InvalidArgument'],
    [{ key: '' }, 'InvalidArgument'],
    [{ key: 'a', policy: 'e30=', signature: 'x', accessKey: 'y' }, 'NotImplemented'],
    [{ key: 'a', 'x-svc-acl': 'public-read' }, 'NotImplemented'],
    [{ key: 'a', 'x-svc-grant-read': 'id="*"' }, 'NotImplemented'],
    [{ key: 'a', 'x-svc-copy-source': '/inbox/b' }, 'NotImplemented'],
    [{ key: 'a', 'x-bce-meta-a': '1' }, 'NotImplemented'],
    [{ key: 'a', 'x-amz-acl': 'public-read' }, 'NotImplemented'],
    [{ key: 'a', 'If-None-Match': '*' }, 'NotImplemented'],
    [{ key: 'a', acl: 'public-read' }, 'NotImplemented'],
    [{ key: 'a', 'x-oss-forbid-overwrite': 'true' }, 'NotImplemented'],
    [{ key: 'a', 'Forbid-Overwrite': 'true' }, 'NotImplemented'],
    [{ key: 'a', Digest: 'sha-256=x' }, 'NotImplemented'],
    [{ key: 'a', 'Content-Range': 'bytes 0-3/9' }, 'NotImplemented'],
    [{ key: 'a', 'Content-MD5': 'AAAA' }, 'NotImplemented'],
    [{ key: 'a', 'x-svc-content-crc32': '1' }, 'BadDigest'],
    [{ key: 'a', 'x-svc-storage-class': 'GLACIER' }, 'InvalidArgument'],
    [{ key: 'a\0' }, 'InvalidObjectName'],
    [{ key: 'a', 'x-svc-meta-a': 'x'.repeat(3000) }, 'MetadataTooLarge'],
    [{ key: 'a', other: 'x'.repeat(21_000) }, 'InvalidHTTPRequest'],
  ];
  for (const [fields, code] of refused) {
    t.is((await send(fields)).json.code, code, JSON.stringify(fields).slice(0, 80));
  }
  t.is((await send({ key: 'a' }, { bucket: 'nowhere' })).json.code, 'NoSuchBucket');

  const type = 'multipart/form-data; boundary=x';
  const post = async (body: string, contentType = type, query = '') => {
    const headers = { 'content-type': contentType };
    const answer = await fetch(`${origin}/inbox${query}`, { method: 'POST', body, headers });
    return `${answer.status} ${JSON.parse(await answer.text()).code}`;
  };
  for (const body of ['', '--x--', '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\na']) {
    t.is(await post(body), '400 InvalidHTTPRequest');
  }
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nf\r\n';
  for (const tail of [part('a', '').repeat(201), part('a', 'x'.repeat(15_000)).repeat(2)]) {
    t.is(await post(`${part('key', 'a')}${file}${tail}--x--\r\n`), '400 InvalidHTTPRequest');
  }
  t.is(await post('{}', 'multipart/form-data'), '400 InvalidHTTPRequest');
  t.is(await post('{}', 'application/json'), '405 MethodNotAllowed');
  t.is(await post('{}', type, '?made-up'), '400 InvalidArgument');
  t.deepEqual((await storage.listObjects({ bucket: 'inbox' })).contents, []);
});
