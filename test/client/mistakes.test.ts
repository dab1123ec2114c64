import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type * as api from '@bucketware/client';
import { createClient as createWebClient, StorageError } from '@bucketware/client';
import { createClient, fileBody } from '@bucketware/client/node';
import test, { type ExecutionContext } from 'ava';
// @ts-expect-error: It has no types.
import foreign from 'readable-stream';
import { listen } from '../http/servers.js';
import { bucket, open, secret } from './fixtures.js';

test('a call without a bucket or a key reaches no other resource', async (t) => {
  const { sent, ...setting } = await open(t);
  const client = setting.client({ headers: {}, signer: { accessKey: 'AKALICE', secret } });
  const calls = [
    ...[{ bucket }, { bucket, key: '' }, { bucket: '', key: 'k' }, { key: 'k' }],
    // fetch resolves dot segments: with `..`, the path would leave the endpoint.
    ...[
      { bucket: '..', key: `storage/${bucket}/k` },
      { bucket: '.', key: `${bucket}/k` },
    ],
    { bucket: null, key: 'k' },
  ];
  const message = /bucket and key/;
  for (const call of calls as { bucket: string; key: string }[]) {
    for (const run of [
      () => client.deleteObject(call),
      () => client.getObject(call),
      () => client.deleteObjectAcl(call),
      () => client.upload({ ...call, body: 'a' }),
      () => client.append({ ...call, body: 'a' }),
      () => client.presign({ ...call, action: 'deleteObject' }),
    ]) {
      await t.throwsAsync(run(), { instanceOf: TypeError, message });
    }
    t.throws(() => client.url(call), { instanceOf: TypeError, message });
  }
  await t.throwsAsync(client.deleteBucket({ bucket: '' }), { instanceOf: TypeError });
  const none = {} as { bucket: string };
  await t.throwsAsync(client.deleteBucket(none), { instanceOf: TypeError });
  await t.throwsAsync(client.listObjects(none), { instanceOf: TypeError });
  t.deepEqual(sent, []);
  await client.putObject({ bucket, key: 'k', body: 'a' });
  const error = await t.throwsAsync<StorageError>(client.deleteBucket({ bucket: `${bucket}/k` }));
  t.is(error?.code, 'InvalidBucketName');
  t.is((await client.getObjectMeta({ bucket, key: 'k' })).size, 1);
});

test('the id of a user grants nothing to others, whatever characters it has', async (t) => {
  const { sent, ...setting } = await open(t);
  const client = setting.client();
  await client.putObject({ bucket, key: 'k', body: 'a' });
  sent.length = 0;
  for (const id of ['u",id="*', 'u";tenantId="*', '"']) {
    for (const grantees of [[{ id }], [{ id: 'u', tenantId: id }]]) {
      const grant = { bucket, key: 'k', grantRead: grantees };
      await t.throwsAsync(client.putObjectAcl(grant), { instanceOf: TypeError, message: /quote/ });
      const full = { bucket, key: 'k', body: 'a', grantFullControl: grantees };
      await t.throwsAsync(client.putObject(full), { instanceOf: TypeError, message: /quote/ });
    }
  }
  t.deepEqual(sent, []);
  const source = { bucket: `${bucket}/k/..`, key: 'k' };
  const error = await t.throwsAsync<StorageError>(client.copyObject({ bucket, key: 'l', source }));
  t.is(error?.code, 'InvalidBucketName');
});

test('a body that is not data replaces nothing', async (t) => {
  const { sent, ...setting } = await open(t);
  const object = { bucket, key: 'k' };
  await setting.client().putObject({ ...object, body: 'good' });
  const bodies = [
    ...[undefined, null, { a: 1 }, [1, 2], 12, true, new Date(), Promise.resolve('a')],
    ...[new URLSearchParams('a=b'), new FormData(), new Response('a'), new SharedArrayBuffer(2)],
    ...[new Uint8Array(new SharedArrayBuffer(2)), new DataView(new SharedArrayBuffer(2))],
    ...[Readable.from(['a']), new Blob(['a']).stream(), await fileBody('package.json')],
  ];
  const { endpoint } = setting;
  const web = createWebClient({ endpoint, headers: { authorization: 'Bearer alice' } });
  sent.length = 0;
  for (const client of [web, setting.client()]) {
    for (const body of bodies as unknown as string[]) {
      for (const call of [
        () => client.putObject({ ...object, body }),
        () => client.appendObject({ ...object, body, offset: 4 }),
        () => client.append({ ...object, body }),
        () => client.uploadPart({ ...object, body, uploadId: 'u', partNumber: 1 }),
      ]) {
        await t.throwsAsync(async () => void (await call()), { message: /^body must be/ });
      }
    }
  }
  t.deepEqual(sent, []);
  t.is(await (await setting.client().getObject(object)).text(), 'good');
});

test('bytes that were transferred replace nothing', async (t) => {
  const client = (await open(t)).client();
  const object = { bucket, key: 'k' };
  await client.putObject({ ...object, body: 'good' });
  const lost = [new Uint8Array(4), new Uint16Array(4), new DataView(new ArrayBuffer(4))];
  for (const { buffer } of lost) structuredClone(buffer, { transfer: [buffer] });
  for (const body of [...lost, lost[0]?.buffer] as Uint8Array<ArrayBuffer>[]) {
    for (const call of [
      () => client.putObject({ ...object, body }),
      () => client.appendObject({ ...object, body, offset: 4 }),
      () => client.append({ ...object, body }),
      () => client.upload({ ...object, body }),
    ]) {
      await t.throwsAsync(async () => void (await call()), { instanceOf: TypeError });
    }
  }
  t.is(await (await client.getObject(object)).text(), 'good');
  await client.putObject({ ...object, body: new Uint8Array(0) });
  t.is((await client.getObjectMeta(object)).size, 0);
});

test('bytes may have any view', async (t) => {
  const client = (await open(t)).client();
  const object = { bucket, key: 'k' };
  const bytes = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
  const views = [new Uint16Array(bytes, 2, 2), new DataView(bytes, 2, 4), bytes.slice(2, 6)];
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  shared.set([3, 4, 5, 6]);
  await client.upload({ ...object, body: shared });
  t.deepEqual([...(await (await client.getObject(object)).bytes())], [3, 4, 5, 6]);
  for (const body of [...views, new Blob([bytes.slice(2, 6)])] as ArrayBuffer[]) {
    await client.putObject({ ...object, body });
    t.deepEqual([...(await (await client.getObject(object)).bytes())], [3, 4, 5, 6]);
  }
});

test('an endpoint that is not a storage, or not a URL, is reported as such', async (t) => {
  const page = (status: number) => async () => new Response('<p>Welcome', { status });
  for (const status of [200, 404]) {
    const client = createClient({ endpoint: 'http://localhost/nope', fetch: page(status) });
    const error = await t.throwsAsync<StorageError>(client.listBuckets());
    t.true(error instanceof StorageError);
    t.like(error, { code: 'UnexpectedResponse', status });
    t.regex(error?.message ?? '', /endpoint/);
  }
  for (const endpoint of ['/storage', 'localhost:3000/storage', 'http:/']) {
    t.throws(() => createClient({ endpoint }), { message: /full URL/ }, endpoint);
  }
});

test('a header that no request may have is a mistake of the program', async (t) => {
  const setting = await open(t);
  const object = { bucket, key: 'k', body: 'x' };
  const wrong: Partial<api.PutObject>[] = [
    { metadata: { note: 'a\nb' } },
    { metadata: { 'a note': 'b' } },
    { contentDisposition: 'a\0' },
    { contentType: 'a\x7fb' },
  ];
  for (const given of wrong) {
    const error = await t.throwsAsync(setting.client().putObject({ ...object, ...given }));
    t.true(error instanceof TypeError, String(error));
  }
  t.deepEqual(setting.sent, []);
  // The token may be that of a file.
  const headers = { Authorization: 'Bearer alice\n', 'Content-Type': 'text/other' };
  const client = setting.client({ headers });
  await client.upload({ ...object, contentType: 'text/plain' });
  t.is((await client.getObjectMeta({ bucket, key: 'k' })).contentType, 'text/plain');
});

test('spaces in a header take no time, and only those at its ends are left out', async (t) => {
  const setting = await open(t);
  const signer = { accessKey: 'AKALICE', secret };
  for (const client of [setting.client(), setting.client({ headers: {}, signer })]) {
    const note = ['a\u00a0', '\u3000見出し', '\ufefftext', ' between  words\t', ' \n'];
    for (const [at, text] of note.entries()) {
      const key = `${at}`;
      await client.putObject({ bucket, key, body: 'x', metadata: { text } });
      const { metadata } = await client.getObjectMeta({ bucket, key });
      t.is(metadata.text ?? '', text.replace(/^[ \t\n]+|[ \t\n]+$/g, ''), JSON.stringify(text));
    }
  }
  const long = { text: `a${' '.repeat(1_000_000)}b` };
  const quick = setting.client({ retry: false });
  // A regular expression would take longer than a test may.
  await t.throwsAsync(quick.putObject({ bucket, key: 'k', body: 'x', metadata: long }));
});

test('the names of metadata are in lower case, also in signatures and links', async (t) => {
  const setting = await open(t);
  const signer = { accessKey: 'AKALICE', secret };
  const signing = setting.client({ headers: {}, signer });
  const object = { bucket, key: 'k' };
  const metadata = { userId: 'v', ['__proto__']: 'odd' };
  const stored = async () => Object.entries((await signing.getObjectMeta(object)).metadata).sort();
  for (const client of [setting.client(), signing]) {
    await client.putObject({ ...object, body: 'x', metadata });
    t.deepEqual(await stored(), [
      ['__proto__', 'odd'],
      ['userid', 'v'],
    ]);
    await client.deleteObject(object);
  }
  const link = { ...object, action: 'putObject', metadata: { userId: 'v' } } as const;
  const headers = { 'x-svc-meta-userid': 'v' };
  const url = await signing.presign(link);
  t.is((await fetch(url, { method: 'PUT', body: 'x', headers })).status, 200);
  t.deepEqual(await stored(), [['userid', 'v']]);
});

test('an object is read whatever its type is', async (t) => {
  const client = (await open(t)).client();
  const object = { bucket, key: 'k' };
  for (const contentType of ['text/plain; name="日本.txt"', 'text/plain; name="é"', 'text/css']) {
    await client.putObject({ ...object, body: 'text', contentType });
    for (const read of [() => client.getObject(object), () => client.download(object)]) {
      t.is((await read()).contentType, contentType);
      t.is(await (await read()).text(), 'text');
      t.is((await (await read()).blob()).type, contentType === 'text/css' ? contentType : '');
    }
  }
});

test('a stream of readable-stream that is closed before its end replaces nothing', async (t) => {
  const client = (await open(t)).client();
  const object = { bucket, key: 'k' };
  const { Readable: Foreign } = foreign as { readonly Readable: typeof Readable };
  await client.upload({ ...object, body: Foreign.from(['go', 'od']) });
  const body = new Foreign({ read() {} });
  body.push('half of ');
  const upload = client.upload({ ...object, body });
  setTimeout(() => body.destroy(), 50);
  await t.throwsAsync(async () => void (await upload), { message: /already read or destroyed/ });
  t.is(await (await client.getObject(object)).text(), 'good');
});

test('a stream of readable-stream that was partly read is refused', async (t) => {
  const client = (await open(t)).client();
  const object = { bucket, key: 'k' };
  const { Readable: Foreign } = foreign as { readonly Readable: typeof Readable };
  const paused = Foreign.from(['first', 'rest']);
  paused.once('data', () => paused.pause());
  const read = Foreign.from(['first', 'rest']);
  await read[Symbol.asyncIterator]().next();
  for (const body of [paused, read]) {
    await t.throwsAsync(async () => void (await client.upload({ ...object, body })), {
      message: /already read or destroyed/,
    });
  }
  const resumed = Foreign.from(['first', 'rest']);
  const upload = client.upload({ ...object, body: resumed });
  resumed.resume();
  await upload;
  t.is(await (await client.getObject(object)).text(), 'firstrest');
});

test('a page of the app is never taken for the storage', async (t) => {
  // Express adds an ETag to every page: to that of a login, or to the only page of an app.
  const headers = { etag: 'W/"22-yc5OhCxWtXU3"', 'content-type': 'text/html' };
  const page = async () => new Response('<p>Welcome', { headers });
  const client = createClient({ endpoint: 'http://localhost', fetch: page });
  const object = { bucket, key: 'k' };
  for (const call of [
    () => client.putObject({ ...object, body: 'a' }),
    () => client.upload({ ...object, body: 'a' }),
    () => client.upload({ ...object, body: new Uint8Array(20_000_000) }),
    () => client.append({ ...object, body: 'a' }),
    () => client.getObject(object),
    () => client.deleteObject(object),
    () => client.putBucket({ bucket }),
    () => client.putBucketAcl({ bucket, acl: 'private' }),
  ]) {
    const error = await t.throwsAsync<StorageError>(async () => void (await call()));
    t.is(error?.code, 'UnexpectedResponse', String(call));
  }
});

test.serial('a page of the app on another origin is not taken for a stored object', async (t) => {
  const headers = { etag: 'W/"22-yc5OhCxWtXU3"', 'content-type': 'text/html; charset=utf-8' };
  const page = async () => new Response('<p>Log in', { headers });
  const stored = async () => new Response(null, { headers: { etag: '"1"' } });
  const place = globalThis as { location?: unknown };
  place.location = { href: 'https://app.test/', origin: 'https://app.test' };
  try {
    const endpoint = 'https://api.test/storage';
    const object = { bucket, key: 'k' };
    const client = createWebClient({ endpoint, fetch: page });
    for (const call of [
      () => client.putObject({ ...object, body: 'a' }),
      () => client.upload({ ...object, body: 'a' }),
      () => client.deleteObject(object),
      () => client.putBucketAcl({ bucket, acl: 'private' }),
    ]) {
      const error = await t.throwsAsync<StorageError>(async () => void (await call()));
      t.is(error?.code, 'UnexpectedResponse', String(call));
    }
    // The browser hides headers that are not exposed.
    const other = createWebClient({ endpoint, fetch: stored });
    t.is((await other.putObject({ ...object, body: 'a' })).etag, '1');
    const described = new Headers({ ...headers, etag: '"1"', 'content-length': '5' });
    const reading = async () => new Response(null, { headers: described });
    const reader = createWebClient({ endpoint, fetch: reading });
    t.is((await reader.getObjectMeta(object)).contentType, headers['content-type']);
  } finally {
    delete place.location;
  }
});

test('a request is retried after the error page of a proxy', async (t) => {
  let requests = 0;
  const server = await listen((_req, res) => {
    requests++;
    res.setHeader('x-svc-request-id', 'one');
    if (requests > 1) res.end('{"locationConstraint":"here"}');
    else res.writeHead(502).end('<h1>Bad Gateway</h1>');
  });
  t.teardown(server.close);
  const client = createClient({ endpoint: server.origin, retry: { firstDelay: 5 } });
  t.is((await client.getBucketLocation({ bucket })).locationConstraint, 'here');
});

test.serial('an upload has only the access that its own options give', async (t) => {
  const { storage, ...setting } = await open(t);
  const client = setting.client();
  const prototype = Object.prototype as { acl?: string };
  prototype.acl = 'public-read';
  try {
    await client.upload({ bucket, key: 'k', body: 'a' });
  } finally {
    delete prototype.acl;
  }
  const error = await t.throwsAsync<StorageError>(client.getObjectAcl({ bucket, key: 'k' }));
  t.is(error?.code, 'ObjectAclNotExists');
});

test('a body that cannot be uploaded is rejected with a list of supported types', async (t) => {
  const client = (await open(t)).client();
  for (const body of [undefined, null, 5, { path: './file' }]) {
    const upload = () => client.upload({ bucket, key: 'k', body: body as unknown as string });
    t.throws(upload, { instanceOf: TypeError, message: /body must be/ });
  }
});

/** A request that gets a response before its body is read. */
async function answeredRequest(t: ExecutionContext): Promise<Readable> {
  const server = await listen((_req, res) => void res.end());
  t.teardown(server.close);
  const come = once(server.server, 'request');
  const sent = request(server.origin, { method: 'PUT' }, (answer) => answer.resume());
  sent.on('error', () => {}); // The server closes the connection first.
  sent.flushHeaders();
  const [req, res] = (await come) as [IncomingMessage, ServerResponse];
  if (!res.closed) await once(res, 'close');
  return req;
}

test('a stream that was read elsewhere does not replace an object', async (t) => {
  const client = (await open(t)).client();
  await client.putObject({ bucket, key: 'k', body: 'precious' });
  const full = () => new PassThrough().end('some data');
  const readHalf = full();
  readHalf.read(4);
  const readAll = Readable.from(['data']);
  for await (const _ of readAll);
  const ofWeb = new Blob(['data']).stream();
  const reader = ofWeb.getReader();
  await reader.read();
  reader.releaseLock();
  const cancelled = new Blob(['data']).stream();
  await cancelled.cancel();
  const locked = new Blob(['data']).stream();
  locked.getReader();
  const dropped = await answeredRequest(t);
  const generator = (async function* () {
    yield 'data';
  })();
  await client.upload({ bucket, key: 'other', body: generator });
  const bodies = {
    readHalf,
    readAll,
    destroyed: full().destroy(),
    ofWeb,
    cancelled,
    locked,
    dropped,
    generator,
  };
  for (const [name, body] of Object.entries(bodies)) {
    const upload = async () => client.upload({ bucket, key: 'k', body });
    await t.throwsAsync(upload, { instanceOf: TypeError, message: /already read/ }, name);
  }
  const flowing = full();
  flowing.on('data', () => {});
  const later = full();
  const uploads = [flowing, later].map((body, n) => client.upload({ bucket, key: `${n}`, body }));
  later.resume();
  const [whole, refused] = await Promise.allSettled(uploads);
  t.like(whole, { status: 'fulfilled', value: { size: 9 } });
  if (refused?.status === 'fulfilled') t.is(refused.value.size, 9);
  t.is(await (await client.getObject({ bucket, key: 'k' })).text(), 'precious');
});

test('chunks of a stream are text or bytes of any kind, and nothing else', async (t) => {
  const client = (await open(t)).client();
  const streamOf = (chunk: unknown) => Readable.from([chunk]) as AsyncIterable<Uint8Array>;
  for (const chunk of [new Uint16Array([300, 301]), new Uint16Array([300, 301]).buffer]) {
    const { size } = await client.upload({ bucket, key: 'k', body: streamOf(chunk) });
    t.is(size, 4);
    const found = await (await client.getObject({ bucket, key: 'k' })).bytes();
    t.deepEqual([...new Uint16Array(found.buffer)], [300, 301]);
  }
  const upload = client.upload({ bucket, key: 'k', body: streamOf(5) });
  await t.throwsAsync(upload, { instanceOf: TypeError, message: /chunks/ });
});

test('a character that is split between two chunks of text is stored whole', async (t) => {
  const client = (await open(t)).client();
  const body = { bucket, key: 'k', partSize: 100 * 1024 };
  const [first = '', second = ''] = '😀'.split('');
  const filler = 'x'.repeat(100 * 1024 - 1);
  const bytes = Buffer.from('bytes');
  for (const chunks of [
    [`a${first}`, `${second}b`],
    [first, '', second, first, second],
    [filler, first, second, 'end'],
    [first, bytes, second],
    [`${filler}${first}`],
  ]) {
    await client.upload({ ...body, body: Readable.from(chunks) });
    const text = chunks.every((chunk) => typeof chunk === 'string') ? chunks.join('') : '�bytes�';
    const stored = await (await client.getObject({ bucket, key: 'k' })).bytes();
    t.true(Buffer.from(text).equals(stored), text.slice(0, 20));
  }
});

test('misspelled options and parameters are rejected, and the right name is suggested', async (t) => {
  const { sent, ...setting } = await open(t);
  const endpoint = 'http://localhost';
  const inJavaScript = createWebClient as (options?: object) => ReturnType<typeof createWebClient>;
  t.throws(() => inJavaScript(), { instanceOf: TypeError, message: /endpoint must be a full URL/ });
  const options: readonly (readonly [options: object, message: RegExp])[] = [
    [{ endpont: endpoint }, /createClient\(\) has no option endpont\. Did you mean endpoint\?/],
    [{ endpoint, nonsense: 1 }, /no option nonsense\.$/],
    [{ endpoint, retry: { timse: 1 } }, /no option timse\. Did you mean times\?/],
    [{ endpoint, retry: 'never' }, /createClient\(\) has no option 0\.$/],
    [{ endpoint, headerprefix: 'x-' }, /Did you mean headers or headerPrefix\?/],
  ];
  for (const [given, message] of options) {
    t.throws(() => inJavaScript(given), { instanceOf: TypeError, message });
  }
  const client = setting.client();
  const name = { bucket, key: 'k' };
  const refused = (message: RegExp) => ({ instanceOf: TypeError, message });
  const put = { ...name, body: 'a', ifnonematch: '*' };
  await t.throwsAsync(client.putObject(put), refused(/Did you mean ifNoneMatch\?/));
  const list = { bucket, maxKey: 1 };
  await t.throwsAsync(
    client.listObjects(list),
    refused(/no parameter maxKey\. Did you mean maxKeys/),
  );
  for (const field of ['versionId', 'ifMatch', 'eTag']) {
    const objects = [{ key: 'k', [field]: 'v' }];
    const message = new RegExp(`object to delete has no field ${field}`);
    await t.throwsAsync(client.deleteMultipleObjects({ bucket, objects }), refused(message));
  }
  const upload = { ...name, body: 'a', partsize: 1 };
  t.throws(() => client.upload(upload), refused(/upload\(\) has no option partsize.*partSize/));
  t.deepEqual(sent, []);
});

test('an undefined field that limits a grant, a rule or an append is rejected', async (t) => {
  const { sent, ...setting } = await open(t);
  const client = setting.client();
  const name = { bucket, key: 'k' };
  const users = [{ id: '*', tenantId: undefined as never }];
  const everyone = { grantee: [{ id: '*' }], permission: ['READ' as const] };
  const grants = (changed: object) => ({ accessControlList: [{ ...everyone, ...changed }] });
  const rule = {
    id: undefined,
    status: 'enabled',
    resource: [`${bucket}/*`],
    action: { name: 'AbortMultipartUpload' },
  } as const;
  const expiring = (condition: object) =>
    client.putBucketLifecycle({ bucket, rule: [{ ...rule, condition }] });
  await client.append({ ...name, body: 'all' });
  sent.length = 0;
  for (const [run, field] of [
    [() => client.putBucketAcl({ bucket, ...grants({ grantee: users }) }), 'tenantId'],
    [() => client.putBucketAcl({ bucket, ...grants({ resource: undefined }) }), 'resource'],
    [() => client.putBucketAcl({ bucket, ...grants({ effect: undefined }) }), 'effect'],
    [() => client.putObjectAcl({ ...name, ...grants({ grantee: users }) }), 'tenantId'],
    [() => client.putObjectAcl({ ...name, grantRead: users }), 'tenantId'],
    [() => client.putObject({ ...name, body: 'a', grantRead: users }), 'tenantId'],
    [() => client.upload({ ...name, body: 'a', grantFullControl: users }), 'tenantId'],
    [() => expiring({ time: undefined }), 'time'],
    [() => expiring({ time: { dateGreaterThan: undefined } }), 'dateGreaterThan'],
    [() => client.appendObject({ ...name, body: 'a', offset: undefined }), 'offset'],
  ] as const) {
    const message = `${field} is undefined. Pass a value, or leave it out.`;
    await t.throwsAsync(async () => run(), { instanceOf: TypeError, message });
  }
  const misspelled = [{ id: '*', tenant: '1' }];
  const message = 'There is no field tenant. Did you mean tenantId?';
  await t.throwsAsync(client.putObjectAcl({ ...name, grantRead: misspelled }), { message });
  t.deepEqual(sent, []);
  await expiring({});
  const cors = {
    allowedOrigins: ['*'],
    allowedMethods: ['GET'],
    maxAgeSeconds: undefined,
  } as const;
  await client.putBucketCors({ bucket, corsConfiguration: [cors] });
  t.is(await (await client.getObject(name)).text(), 'all');
});

type Parameters = Omit<
  api.PutObject &
    api.AppendObject &
    api.GetObject &
    api.CopyObject &
    api.UploadPartCopy &
    api.CompleteUpload,
  'bucket' | 'key' | 'signal' | 'body' | 'onProgress' | 'parts'
> &
  Omit<api.ListObjects & api.ListUploads & api.ListParts, 'bucket' | 'key' | 'signal'>;

test('every parameter of an operation is accepted', (t) => {
  // Does not compile if a parameter is missing.
  const all: Required<Parameters> = {
    ...{ prefix: '', delimiter: '/', marker: '', maxKeys: 1, keyMarker: '', uploadIdMarker: '' },
    ...{ maxUploads: 1, uploadId: '', partNumber: 1, maxParts: 1, partNumberMarker: 1, offset: 1 },
    ...{ appendId: '', forbidOverwrite: true },
    ...{ responseContentType: '', responseContentDisposition: '', responseContentEncoding: '' },
    ...{ responseContentLanguage: '', responseCacheControl: '', responseExpires: '' },
    ...{ contentType: '', contentEncoding: '', contentLanguage: '', contentDisposition: '' },
    ...{
      cacheControl: '',
      expires: '',
      contentMd5: '',
      ifMatch: '',
      ifNoneMatch: '',
      range: 'bytes=0-',
    },
    ...{ ifModifiedSince: new Date(0), ifUnmodifiedSince: new Date(0), ifRange: '' },
    ...{ acl: 'private', grantRead: [], grantFullControl: [], metadata: {}, storageClass: '' },
    ...{ contentSha256: '', contentCrc32: 0, metadataDirective: 'copy' },
    source: { bucket, key: 'k' },
  };
  const client = createClient({ endpoint: 'http://localhost' });
  t.is(client.url({ bucket, key: 'k', ...all }).match(/[?&]/g)?.length, 19);
});

test('values that the server would ignore are refused', async (t) => {
  const { sent, ...setting } = await open(t);
  const client = setting.client();
  const name = { bucket, key: 'k' };
  for (const range of [{ start: 1, end: 2 }, [1, 2], '1-2', 5, null]) {
    const call = { ...name, range } as never;
    await t.throwsAsync(client.getObject(call), { instanceOf: TypeError, message: /range/ });
  }
  for (const more of [
    { ifNoneMatch: {} },
    { ifMatch: ['a'] },
    { metadata: new Map([['a', 'b']]) },
    { metadata: [['a', 'b']] },
    { contentType: {} },
  ]) {
    const call = { ...name, body: 'a', ...more } as never;
    await t.throwsAsync(client.putObject(call), { instanceOf: TypeError });
  }
  t.deepEqual(sent, []);
});
