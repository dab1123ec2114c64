import type { Credentials } from '@bucketware/core/contracts';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { s3 } from '@bucketware/s3';
import { presignV1, type Signer, signV1 } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import Koa from 'koa';
import koaMount from 'koa-mount';
import { alice, bob, listen, memoryStorage, principalOf } from '../http/servers.js';

const ALICE = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const GUEST = { accessKey: 'AKGUEST', secret: 'for a day', sessionToken: 'tok/en+==' };
const credentials: Credentials = {
  AKALICE: { secret: ALICE.secret, principal: alice },
  AKGUEST: { secret: GUEST.secret, sessionToken: GUEST.sessionToken, principal: bob },
};

interface Wanted {
  readonly method?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signer?: Signer;
  readonly now?: number;
  readonly expires?: number;
}

/** What is signed, and the URL of the request. */
const targetOf = (url: string, { signer: _, ...wanted }: Wanted) => ({
  ...{ publicUrl: url, method: 'GET', path: '/', now: Date.now(), headers: {} },
  ...wanted,
});

/** The error code of a response, or its status. */
async function outcome(answer: Response): Promise<string | number> {
  const text = await answer.text();
  return text.startsWith('{"code"') ? `${answer.status} ${JSON.parse(text).code}` : answer.status;
}

async function send(url: string, wanted: Wanted = {}, headers: Record<string, string> = {}) {
  const target = targetOf(url, wanted);
  const signed = signV1(wanted.signer ?? ALICE, target);
  const search = wanted.query ? `?${new URLSearchParams(wanted.query)}` : '';
  const { method } = target;
  const all = { ...target.headers, ...signed, ...headers };
  return outcome(await fetch(`${url}${target.path}${search}`, { method, headers: all }));
}

const open = async (url: string, wanted: Wanted, changed = (link: string) => link) => {
  const target = targetOf(url, wanted);
  const link = changed(presignV1(wanted.signer ?? ALICE, target));
  return outcome(await fetch(link, { method: target.method }));
};

type Options = Parameters<typeof koaStorage>[1];

/** An app with the storage below `/storage` and the authentication of the tests. */
async function start(t: ExecutionContext, carry: 'koa' | 'express', options: Partial<Options>) {
  const failures: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => failures.push(error) });
  await storage.as(alice).putBucket({ bucket: 'photos' });
  await storage.putObject({ bucket: 'photos', key: 'a b+c/ü.txt', body: 'cat' });
  const app = carry === 'koa' ? new Koa() : express();
  if (app instanceof Koa) {
    app.silent = true;
    const principal: Options['principal'] = (ctx) => principalOf(ctx.req);
    app.use(koaMount('/storage', koaStorage(storage, { principal, ...options })));
  } else {
    const { principal: _, ...others } = options;
    app.use('/storage', expressStorage(storage, { principal: principalOf, ...others }));
  }
  const server = await listen(app instanceof Koa ? app.callback() : app);
  t.teardown(async () => {
    await server.close();
    await storage.close();
    if (failures.length > 0) throw new AggregateError(failures, 'A request met a failure.');
  });
  return `${server.origin}/storage`;
}

for (const carry of ['koa', 'express'] as const) {
  test(`the caller of a signed request is the owner of its access key, on ${carry}`, async (t) => {
    const url = await start(t, carry, { credentials });
    const path = '/photos/a%20b%2Bc/%C3%BC.txt';
    t.is(await send(url, { path: '/' }), 200);
    t.is(await send(url, { path: '/photos' }), 200);
    t.is(await send(url, { path: '/photos', signer: GUEST }), '403 AccessDenied');
    t.is(await send(url, { path: '/photos', query: { prefix: 'a b+c/' } }), 200);
    const headers = { 'x-svc-acl': 'public-read' };
    const query = { acl: '' };
    t.is(await send(url, { method: 'PUT', path: '/photos', query, headers }), 200);
    const link = { path: decodeURIComponent(path) };
    t.is(await open(url, link), 200);
    t.is(await open(url, { ...link, signer: GUEST }), 200);
    t.is(await open(url, { ...link, query: { responseContentType: 'text/plain' } }), 200);
    t.is(await open(url, { path: '/photos/new', method: 'PUT' }), 200);
    t.is(
      await open(url, { path: '/photos/new', method: 'PUT', signer: GUEST }),
      '403 AccessDenied',
    );

    t.is(await outcome(await fetch(`${url}/photos?acl`)), '403 AccessDenied', 'anonymous');
    const bearer = { authorization: 'Bearer alice' };
    t.is(await outcome(await fetch(`${url}/photos?acl`, { headers: bearer })), 200, 'login');
  });
}

test('a form is signed in its fields: a signature elsewhere is neither used nor ignored', async (t) => {
  const url = await start(t, 'koa', { credentials });
  const target = targetOf(url, { method: 'PUT', path: '/photos', query: { acl: '' } });
  const acl = { 'x-svc-acl': 'public-read-write' };
  t.is(await send(url, { ...target, headers: acl }), 200);
  const post = async (address: string, headers: Record<string, string>) => {
    const body = new FormData();
    body.set('key', 'new');
    body.set('file', new Blob(['x']));
    return outcome(await fetch(address, { method: 'POST', body, headers }));
  };
  t.is(await post(`${url}/photos`, { authorization: 'Bearer alice' }), 200);
  const wanted = targetOf(url, { method: 'POST', path: '/photos' });
  t.is(await post(presignV1(ALICE, wanted), {}), '400 InvalidArgument');
  t.is(await post(`${url}/photos`, signV1(ALICE, wanted)), 200);
  const forged = signV1({ ...ALICE, secret: 'a guess' }, wanted);
  t.is(await post(`${url}/photos`, forged), '403 SignatureDoesNotMatch');
  const digest = { 'x-svc-content-sha256': '0'.repeat(64) };
  t.is(await post(`${url}/photos`, digest), '501 NotImplemented');
});

test('an invalid signature is rejected without calling principal', async (t) => {
  let calls = 0;
  const principal = () => {
    calls++;
    return alice;
  };
  const url = await start(t, 'koa', { credentials, principal });
  const path = '/photos';
  const minutes = (count: number) => Date.now() + count * 60_000;
  const bad = 'bce-auth-v1/AKALICE/2014-06-13T05:57:36Z/1800/host/0';
  for (const [expected, wanted, headers] of [
    ['403 InvalidAccessKeyId', { signer: { ...ALICE, accessKey: 'nobody' } }],
    ['403 SignatureDoesNotMatch', { signer: { ...ALICE, secret: 'other' } }],
    ['400 RequestExpired', { now: minutes(-31) }],
    ['403 RequestTimeTooSkewed', { now: minutes(16) }],
    ['400 InvalidSessionToken', { signer: { ...GUEST, sessionToken: 'other' } }],
    ['400 InvalidHTTPAuthHeader', {}, { authorization: bad }],
    ['400 InvalidHTTPAuthHeader', {}, { authorization: bad.replace('v1', 'v2') }],
    ['403 SignatureDoesNotMatch', {}, { 'x-svc-user-agent': 'x' }],
  ] as const) {
    t.is(await send(url, { path, ...wanted }, headers), expected, expected);
  }
  const forged = (link: string) => link.replace(/photos/, 'secret');
  t.is(await open(url, { path }, forged), '403 SignatureDoesNotMatch');
  const twice = (link: string) => `${link}&authorization=${encodeURIComponent(bad)}`;
  t.is(await open(url, { path }, twice), '400 InvalidHTTPAuthHeader');
  t.is(calls, 0);
});

test('the host may authenticate first, and an invalid signature is still rejected', async (t) => {
  const principal: Options['principal'] = (ctx) => (ctx.get('cookie') === 'bob' ? bob : undefined);
  const cookie = { cookie: 'bob' };
  const [second, first] = [
    await start(t, 'koa', { credentials, principal }),
    await start(t, 'koa', { credentials, principal, loginFirst: true }),
  ];
  const path = '/photos';
  t.is(await send(second, { path }, cookie), 200, 'whoever signed');
  t.is(await send(first, { path }, cookie), '403 AccessDenied', 'whoever is logged in');
  t.is(await send(first, { path }), 200, 'nobody is logged in');
  const signer = { ...ALICE, secret: 'other' };
  t.is(await send(first, { path, signer }, cookie), '403 SignatureDoesNotMatch');
});

test('if the host authenticates first, pages of other sites could use that, whatever link they have', async (t) => {
  const principal: Options['principal'] = (ctx) => (ctx.get('cookie') ? alice : undefined);
  const headers = { cookie: 'alice', 'sec-fetch-site': 'cross-site' };
  const query = { responseContentType: 'text/html' };
  for (const [loginFirst, expected] of [
    [false, 200],
    [true, '400 InvalidArgument'],
  ] as const) {
    const url = await start(t, 'koa', { credentials, principal, loginFirst });
    const link = presignV1(ALICE, targetOf(url, { path: '/photos/a b+c/ü.txt', query }));
    t.is(await outcome(await fetch(link, { headers })), expected);
  }
});

test('a look-up may be asynchronous, and a proxy may have changed the address', async (t) => {
  const lookUp = async (accessKey: string) => (await credentials)[accessKey as 'AKALICE'];
  const publicUrl = 'https://files.example.com:8443/data';
  const url = await start(t, 'express', { credentials: lookUp, publicUrl });
  const target = targetOf(publicUrl, { path: '/photos' });
  const headers = signV1(ALICE, target);
  t.is(await outcome(await fetch(`${url}/photos`, { headers })), 200, 'as it was sent');
  t.is(await send(url, { path: '/photos' }), 200, 'as it arrived');
});

test('without credentials, signatures are left to the host’s authentication', async (t) => {
  const url = await start(t, 'koa', {});
  t.is(await open(url, { path: '/photos' }), '501 NotImplemented');
});

test('credentials must be passed to the dialect that verifies them', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const principal = () => undefined;
  t.throws(() => koaStorage(storage, { principal, credentials, dialect: s3({ credentials }) }), {
    message: /pass the credentials to the dialect/,
  });
  t.throws(() => expressStorage(storage, { principal, credential: {} } as never), {
    message: /Did you mean credentials\?/,
  });
  t.throws(() => expressStorage(storage, { principal, credentials: 'AK' } as never), {
    message: /credentials must be an object that maps access keys/,
  });
});
