import { storageMiddleware } from '@bucketware/koa';
import { presignV1, signV1 } from '@bucketware/signature';
import test from 'ava';
import Koa from 'koa';
import { alice, listen, memoryStorage, onKoa, principalOf } from '../http/servers.js';

const SIGNER = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const credentials = { AKALICE: { secret: SIGNER.secret, principal: alice } };

let url: string;
let close: () => Promise<void>;
const storage = await memoryStorage();

test.before(async () => {
  await storage.as(alice).putBucket({ bucket: 'photos' });
  await storage.putObject({ bucket: 'photos', key: 'cat', body: '0123456789' });
  const app = new Koa();
  app.silent = true;
  const principal = (ctx: Koa.Context) => principalOf(ctx.req);
  app.use(storageMiddleware(storage, { headerPrefix: 'x-bce-', credentials, principal }));
  ({ origin: url, close } = await listen(app.callback()));
});
test.after.always(() => close());

interface Wanted {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly change?: (link: string) => string;
}

/** Opens a link to `/photos/cat` with these parameters. */
async function open(query: Record<string, string>, wanted: Wanted = {}) {
  const { method = 'GET', path = '/photos/cat', body = null, headers = {} } = wanted;
  const { change = (link) => link } = wanted;
  const target = { publicUrl: url, path, query, method, now: Date.now() };
  const link = change(presignV1(SIGNER, { ...target, headerPrefix: 'x-bce-' }));
  const answer = await fetch(link, { method, body, headers });
  const text = await answer.text();
  return text.startsWith('{"code"') ? `${answer.status} ${JSON.parse(text).code}` : text;
}

test('the query of a signed URL can replace headers', async (t) => {
  t.is(await open({ 'x-bce-range': '2-4' }), '234');
  t.is(await open({ 'X-Bce-Range': 'bytes=2-4' }), '234');
  const put = { method: 'PUT', path: '/photos/new', body: 'hello' };
  const described = {
    ...{ 'x-bce-meta-colour': 'grün', 'x-bce-storage-class': 'cold' },
    'x-bce-content-crc32': '907060870',
  };
  t.is(await open(described, put), '');
  t.like(await storage.getObjectMeta({ bucket: 'photos', key: 'new' }), {
    ...{ metadata: { colour: 'grün' }, storageClass: 'COLD' },
  });
  const copy = { method: 'PUT', path: '/photos/copy' };
  t.regex(await open({ 'x-bce-copy-source': '/photos/cat' }, copy), /eTag/);
  t.is((await storage.getObjectMeta({ bucket: 'photos', key: 'copy' })).size, 10);
});

test('such a header is rejected if the operation would reject it, and if it is repeated', async (t) => {
  const put = { method: 'PUT', path: '/photos/refused', body: 'hello' };
  const rows: [Record<string, string>, Wanted, string][] = [
    [{ 'x-bce-made-up': '1' }, {}, '400 InvalidArgument'],
    [{ 'x-bce-process': '1' }, {}, '501 NotImplemented'],
    [{ 'x-svc-range': '2-4' }, {}, '501 NotImplemented'],
    [{ 'x-amz-acl': 'private' }, put, '501 NotImplemented'],
    [{ 'x-bce-content-crc32': '1' }, put, '400 BadDigest'],
    [{ 'x-bce-storage-class': '' }, put, '400 InvalidArgument'],
    [{ 'x-bce-meta-a': 'x\r\nx-bce-acl: public-read' }, put, '400 InvalidArgument'],
    [{ 'x-bce-meta-a:b': '1' }, put, '400 InvalidArgument'],
    [{ 'x-bce-acl': 'private', 'X-BCE-ACL': 'public-read' }, put, '400 InvalidHTTPRequest'],
    [{ 'x-bce-range': '0-1' }, { headers: { range: 'bytes=2-3' } }, '400 InvalidHTTPRequest'],
  ];
  for (const [query, wanted, outcome] of rows) {
    t.is(await open(query, wanted), outcome, JSON.stringify(query));
  }
  await t.throwsAsync(storage.getObjectMeta({ bucket: 'photos', key: 'refused' }));
});

test('a link is valid only as signed: nothing can be added or removed', async (t) => {
  const put = { method: 'PUT', path: '/photos/forged', body: 'hello' };
  const add = (what: string) => ({ ...put, change: (link: string) => `${link}&${what}` });
  t.is(await open({}, add('x-bce-acl=public-read')), '403 SignatureDoesNotMatch');
  t.is(await open({}, add('x-bce-copy-source=%2Fphotos%2Fcat')), '403 SignatureDoesNotMatch');
  for (const name of ['x-bce-acl', 'x-bce-copy-source']) {
    const headers = { [name]: 'public-read' };
    t.is(await open({}, { ...put, headers }), '403 SignatureDoesNotMatch', name);
  }
  const remove = {
    ...put,
    change: (link: string) => link.replace('x-bce-forbid-overwrite=true&', ''),
  };
  t.is(await open({ 'x-bce-forbid-overwrite': 'true' }, remove), '403 SignatureDoesNotMatch');

  const query = 'x-bce-range=0-1';
  const send = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${url}${path}`, { headers });
    return `${answer.status} ${JSON.parse(await answer.text()).code}`;
  };
  const login = { authorization: 'Bearer alice' };
  t.is(await send(`/photos/cat?${query}`, login), '501 NotImplemented');
  t.is(await send(`/photos/cat?${query}&authorization=x`, {}), '400 InvalidHTTPAuthHeader');
  t.is(await send(`/photos/cat?${query}&Authorization=x`, login), '501 NotImplemented');
  const target = { publicUrl: url, path: '/photos/cat', method: 'GET', now: Date.now() };
  const signed = signV1(SIGNER, { ...target, query: { 'x-bce-range': '0-1' } });
  t.is(await send(`/photos/cat?${query}`, { ...signed }), '501 NotImplemented');
  await t.throwsAsync(storage.getObjectMeta({ bucket: 'photos', key: 'forged' }));

  // Without credentials, the signature has not been verified.
  const own = await listen(onKoa(storage, { headerPrefix: 'x-bce-' }));
  t.teardown(own.close);
  const answer = await fetch(`${own.origin}/photos/cat?${query}&authorization=x`, {
    headers: login,
  });
  t.is(answer.status, 501);
});
