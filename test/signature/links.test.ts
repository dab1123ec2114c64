import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { HandlerOptions, ObjectStorage, Presign } from '@bucketware/core';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage, storageRouter } from '@bucketware/koa';
import { s3 } from '@bucketware/s3';
import { presignS3 } from '@bucketware/signature';
import Router from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import Koa from 'koa';
import koaMount from 'koa-mount';
import { call } from '../http/raw.js';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';
import { signatureByAws4 } from './oracles.js';

const credentials = {
  AKALICE: { secret: 'the secret of alice', principal: alice },
  AKGUEST: { secret: 'for a day', sessionToken: 'tok/en+==', principal: bob },
};
const curl = promisify(execFile);
const principal = () => undefined;

type Dialect = 'json' | 's3';
type Carried = 'koa' | 'koa-router' | 'express' | 'express-route';
const access = (dialect: Dialect) =>
  dialect === 's3' ? { dialect: s3({ credentials }) } : { credentials };

/** Apps with the storage below `/a%20b/files`. Links are created for the origin of the app. */
const apps: Readonly<
  Record<Carried, (storage: ObjectStorage, options: HandlerOptions) => readonly [unknown, Presign]>
> = {
  koa(storage, options) {
    const files = koaStorage(storage, { principal, ...options });
    const app = new Koa();
    app.use(koaMount('/a%20b', koaMount('/files', files)));
    return [app.callback(), files.presign];
  },
  'koa-router'(storage, options) {
    const files = storageRouter(storage, { principal, ...options });
    const outer = new Router();
    outer.use('/a%20b/files', files.routes());
    const app = new Koa();
    app.use(outer.routes());
    return [app.callback(), files.presign];
  },
  express(storage, options) {
    const files = expressStorage(storage, { principal, ...options });
    const app = express();
    const sub = express.Router();
    sub.use('/files', files);
    app.use('/a%20b', sub);
    return [app, files.presign];
  },
  'express-route'(storage, options) {
    const files = expressStorage(storage, { principal, ...options });
    const app = express();
    app.all('/a%20b/files/*path', files);
    return [app, files.presign];
  },
};

async function start(t: ExecutionContext, carried: Carried, options: HandlerOptions) {
  const failures: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => failures.push(error) });
  await storage.as(alice).putBucket({ bucket: 'photos' });
  const [app, presign] = apps[carried](storage, options);
  const { origin, close } = await listen(app as Parameters<typeof listen>[0]);
  t.teardown(async () => {
    await close();
    await storage.close();
    if (failures.length > 0) throw new AggregateError(failures, 'A request met a failure.');
  });
  const publicUrl = `${origin}/a%20b/files`;
  const linked: Presign = (link) => presign({ publicUrl, ...link });
  return { storage, origin, publicUrl, presign: linked };
}

const object = { bucket: 'photos', accessKey: 'AKALICE' } as const;
const codeIn = (text: string) => /"code":"(\w+)"|<Code>(\w+)/.exec(text)?.slice(1).find(Boolean);

/** Keys that something on the way might change. Browsers, fetch and curl change dot segments. */
const KEYS = [
  'plain.txt',
  'a b+c%20d%.txt',
  'ü/你好/😀.txt',
  '//two//slashes//',
  '/leading',
  'a/../b/./c',
  '../up',
  'dots/..',
  'dots/./there',
  '...',
  '?x=1&y#z;:@$,=[]{}|\\^`"<>\'()*!~',
  'line\nbreak\ttab',
];

for (const dialect of ['json', 's3'] as const) {
  for (const carried of Object.keys(apps) as Carried[]) {
    test(`links write and read objects of any key: ${dialect} on ${carried}`, async (t) => {
      const { storage, presign } = await start(t, carried, access(dialect));
      for (const key of KEYS) {
        const body = `body of ${key}`;
        const put = await fetch(await presign({ ...object, action: 'putObject', key }), {
          method: 'PUT',
          body,
        });
        t.is(put.status, 200, `${key}: ${await put.text()}`);
        const stored = await storage.getObject({ bucket: 'photos', key });
        t.is(await new Response(stored.body as never).text(), body, key);
        const link = await presign({ ...object, action: 'getObject', key });
        t.is(await (await fetch(link)).text(), body, key);
        const head = await presign({ ...object, action: 'getObjectMeta', key });
        t.is((await fetch(head, { method: 'HEAD' })).headers.get('etag'), `"${stored.etag}"`, key);
      }
      for (const key of KEYS) {
        const url = await presign({ ...object, action: 'deleteObject', key });
        t.is((await fetch(url, { method: 'DELETE' })).status, 204, key);
      }
      t.deepEqual((await storage.listObjects({ bucket: 'photos' })).contents, []);
    });
  }

  test(`links work when pasted into curl: ${dialect}`, async (t) => {
    const { storage, presign } = await start(t, 'express', access(dialect));
    for (const key of ['a b+c/../ü.txt', '//x']) {
      const put = await presign({ ...object, action: 'putObject', key });
      await curl('curl', ['-sSf', '-X', 'PUT', '--data-binary', 'cat', put]);
      const get = await presign({ ...object, action: 'getObject', key });
      t.is((await curl('curl', ['-sSf', get])).stdout, 'cat');
      await storage.deleteObject({ bucket: 'photos', key });
    }
  });

  test(`links to operations with a body are made before the body is known: ${dialect}`, async (t) => {
    const { storage, presign } = await start(t, 'express', access(dialect));
    const { bucket } = object;
    await storage.putObject({ bucket, key: 'cat', body: 'meow' });
    const bodies = {
      json: ['{"objects":[{"key":"cat"}]}', '{"accessControlList":[]}'],
      s3: ['<Delete><Object><Key>cat</Key></Object></Delete>', '<AccessControlPolicy/>'],
    }[dialect] as [string, string];
    const acl = await presign({ ...object, action: 'putBucketAcl' });
    t.is((await fetch(acl, { method: 'PUT', body: bodies[1] })).status, 200);
    const url = await presign({ ...object, action: 'deleteMultipleObjects' });
    t.is((await fetch(url, { method: 'POST', body: bodies[0] })).status, 200);
    t.deepEqual((await storage.listObjects({ bucket })).contents, []);
  });

  test(`parameters of a link are signed: ${dialect}`, async (t) => {
    const { storage, presign } = await start(t, 'koa', access(dialect));
    const { bucket } = object;
    const url = await presign({
      ...object,
      action: 'putObject',
      key: 'k',
      contentType: 'image/png',
    });
    const put = async (type: string) => {
      const headers = { 'content-type': type };
      return fetch(url, { method: 'PUT', headers, body: 'png' });
    };
    t.is(codeIn(await (await put('text/html')).text()), 'SignatureDoesNotMatch');
    t.is((await put('image/png')).status, 200);
    t.is((await storage.getObjectMeta({ bucket, key: 'k' })).contentType, 'image/png');

    const get = await presign({
      ...{ ...object, action: 'getObject', key: 'k' },
      responseContentDisposition: 'attachment; filename="ä b.png"',
      responseContentType: 'text/plain',
    });
    const { headers } = await fetch(get);
    t.is(headers.get('content-type'), 'text/plain');
    t.regex(headers.get('content-disposition') ?? '', /^attachment; filename=/);
    const forged = get.replace('plain', 'html');
    t.is(codeIn(await (await fetch(forged)).text()), 'SignatureDoesNotMatch');

    const once = await presign({ ...object, action: 'putObject', key: 'k', ifNoneMatch: '*' });
    const again = await fetch(once, { method: 'PUT', headers: { 'if-none-match': '*' }, body: '' });
    t.is(codeIn(await again.text()), 'PreconditionFailed');

    const { uploadId } = await storage.as(alice).initiateMultipartUpload({ bucket, key: 'k' });
    const part = { ...object, key: 'k', uploadId };
    const partUrl = await presign({ ...part, action: 'uploadPart', partNumber: 2 });
    t.is((await fetch(partUrl, { method: 'PUT', body: 'part' })).status, 200);
    const parts = await fetch(await presign({ ...part, action: 'listParts' }));
    t.regex(await parts.text(), /"partNumber":2|<PartNumber>2</);
  });

  test(`a link has the permissions of its access key, for its method, until it expires: ${dialect}`, async (t) => {
    let now = Math.trunc(Date.now() / 1000) * 1000;
    const storage = await memoryStorage({ now: () => now });
    await storage.as(alice).putBucket({ bucket: 'photos' });
    await storage.putObject({ bucket: 'photos', key: 'k', body: 'cat' });
    const mounted = expressStorage(storage, { mount: '/files', principal, ...access(dialect) });
    const { origin, close } = await listen(express().use(mounted));
    t.teardown(async () => {
      await close();
      await storage.close();
    });
    const options = {
      ...object,
      action: 'getObject',
      key: 'k',
      publicUrl: `${origin}/files`,
    } as const;
    const url = await mounted.presign({ ...options, expiresIn: 60 });
    const outcome = async (link: string, init: RequestInit = {}) => {
      const answer = await fetch(link, init);
      return codeIn(await answer.text()) ?? answer.status;
    };
    t.is(await outcome(url), 200);
    t.is(await outcome(url, { method: 'DELETE' }), 'SignatureDoesNotMatch');
    t.is(await outcome(url, { method: 'HEAD' }), 403);
    const guest = await mounted.presign({ ...options, accessKey: 'AKGUEST' });
    t.is(await outcome(guest), 'AccessDenied');
    now += 60_000;
    t.is(await outcome(url), 200, 'the last instant');
    now += 1_000;
    t.is(await outcome(url), dialect === 's3' ? 'AccessDenied' : 'RequestExpired');
  });

  test(`mistakes in a link are reported: ${dialect}`, async (t) => {
    const { presign } = await start(t, 'koa', access(dialect));
    const refused = async (link: object, message: RegExp) => {
      const options = { ...object, action: 'getObject', key: 'k', ...link };
      await t.throwsAsync(presign(options as never), { message }, String(message));
    };
    await refused(
      { expiresin: 5 },
      /presign\(\) has no option expiresin\. Did you mean expiresIn\?/,
    );
    await refused({ responseContenttype: 'a' }, /Did you mean responseContentType\?/);
    await refused({ action: 'getobject' }, /no action getobject\. Did you mean getObject\?/);
    await refused({ action: undefined }, /needs the option action/);
    await refused({ key: undefined }, /needs the option key/);
    await refused({ accessKey: undefined }, /needs the option accessKey/);
    await refused({ accessKey: 'AKNOBODY' }, /no access key AKNOBODY/);
    await refused({ key: 'a\0b' }, /An object key has/);
    await refused({ bucket: 'Photos' }, /A bucket name has/);
    await refused({ publicUrl: 'example.com' }, /publicUrl must be an http or https URL/);
    await refused({ action: 'putObject', contentMd5: 'x' }, /Content-MD5|digest/i);
    await refused({ action: 'putObject', body: 'x' }, /no option body/);
    if (dialect === 'json') {
      // Without an offset, the link would replace the object.
      await refused({ action: 'appendObject', offset: undefined }, /offset is undefined\. Pass/);
    }
    await refused({ action: 'uploadPart', uploadId: 'u' }, /needs the option partNumber/);
    await refused({ action: 'uploadPart', uploadId: 'u', partNumber: 0 }, /1 to 10000|from 1/);
    for (const expiresIn of [0, -1, 1.5, '60', Number.NaN, dialect === 's3' ? 604_801 : 1e10]) {
      await refused(
        { expiresIn },
        /expiresIn must be a whole number from 1 to (604800|9999999999)/,
      );
    }
  });
}

for (const carried of ['koa', 'koa-router', 'express'] as const) {
  test(`the mount itself may be signed with and without a slash: ${carried}`, async (t) => {
    const { origin } = await start(t, carried, access('s3'));
    const { secret } = credentials.AKALICE;
    for (const rawPath of ['/a%20b/files', '/a%20b/files/', '/a%20b/files//']) {
      for (const query of [{}, { 'x-id': 'ListBuckets' }] as Record<string, string>[]) {
        const target = { publicUrl: origin, rawPath, method: 'GET', query, now: Date.now() };
        const url = presignS3({ accessKey: 'AKALICE', secret }, target);
        t.is((await fetch(url)).status, 200, url);
      }
    }
  });
}

test('links have the address that clients use: behind a proxy, and in host style', async (t) => {
  for (const dialect of ['json', 's3'] as const) {
    const { storage, origin } = await start(t, 'koa', access(dialect));
    await storage.putObject({ bucket: 'photos', key: 'a b', body: 'cat' });
    const { port } = new URL(origin);
    const files = koaStorage(storage, {
      ...{ principal, mount: '/files', baseHost: 'buckets.test', host: 'own.test' },
      ...{ hosts: { 'cdn.test': 'photos' }, publicUrl: 'https://files.example.com/data/' },
      ...access(dialect),
    });
    const app = new Koa();
    app.use(files);
    const server = await listen(app.callback());
    t.teardown(server.close);
    const link = { ...object, action: 'getObject', key: 'a b' } as const;
    for (const [publicUrl, start, arrives] of [
      [undefined, 'https://files.example.com/data/photos/a%20b?', '/files/photos'],
      [`${server.origin}/files`, `${server.origin}/files/photos/a%20b?`, '/files/photos'],
      [`http://buckets.test:${port}`, `http://photos.buckets.test:${port}/a%20b?`, ''],
      [`http://photos.own.test:${port}`, `http://photos.own.test:${port}/a%20b?`, ''],
      [`http://own.test:${port}`, `http://own.test:${port}/photos/a%20b?`, '/photos'],
      [`http://cdn.test:${port}`, `http://cdn.test:${port}/a%20b?`, ''],
      [
        `http://buckets.test:${port}/files`,
        `http://buckets.test:${port}/files/photos/a%20b?`,
        '/files/photos',
      ],
    ] as const) {
      const url = await files.presign({ ...link, ...(publicUrl && { publicUrl }) });
      t.true(url.startsWith(start), url);
      const { host, search } = new URL(url);
      const headers = publicUrl === undefined ? {} : { host };
      const answer = await call(server.origin, 'GET', `${arrives}/a%20b${search}`, {
        as: '',
        headers,
      });
      t.is(answer.text, 'cat', url);
    }
    await t.throwsAsync(
      files.presign({ ...link, bucket: 'other', publicUrl: 'https://cdn.test' }),
      { message: /leads to the bucket photos, not to other/ },
    );
    await t.throwsAsync(files.presign({ ...link, publicUrl: 'https://cdn.test/files' }), {
      message: /the path of https:\/\/cdn\.test\/files would be part of the key/,
    });
  }
});

test('links of S3 equal those of aws4', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const publicUrl = 'https://files.example.com:8443/a%20b/files';
  const { presign } = storage.handler({ dialect: s3({ credentials }), publicUrl });
  for (const accessKey of ['AKALICE', 'AKGUEST'] as const) {
    for (const key of ['a b/ü+%.txt', '//x', 'a-._~z']) {
      const link = { ...object, accessKey, key, expiresIn: 60 } as const;
      const override = { responseContentDisposition: 'attachment; filename="ä b.png"' };
      const url = new URL(await presign({ ...link, action: 'getObject', ...override }));
      const signature = `${url.searchParams.get('X-Amz-Signature')}`;
      t.is(signatureByAws4({ accessKey, ...credentials[accessKey] }, url), signature, key);
    }
  }
});

test('links need access keys, and the address of the mount', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const link = { ...object, action: 'getObject', key: 'k' } as const;
  const without = koaStorage(storage, { principal });
  await t.throwsAsync(without.presign(link), { message: /option credentials/ });
  const withoutPublicUrl = koaStorage(storage, { principal, credentials });
  await t.throwsAsync(withoutPublicUrl.presign(link), { message: /presign\(\) needs publicUrl/ });
  const bce = koaStorage(storage, {
    ...{ principal, credentials, headerPrefix: 'x-bce-', publicUrl: 'http://h.test/v1' },
  });
  const acl = { ...link, action: 'putObject', acl: 'private', metadata: { a: '1' } } as const;
  t.regex(await bce.presign(acl), /%2F900%2Fhost%3Bx-bce-acl%3Bx-bce-meta-a%2F/);
  const guest = await bce.presign({ ...link, accessKey: 'AKGUEST' });
  t.regex(guest, /x-bce-security-token=tok%2Fen%2B%3D%3D&authorization=/);
});
