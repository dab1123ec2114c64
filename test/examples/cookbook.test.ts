import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { avatars } from '@bucketware/example-cookbook/avatars';
import { backUp } from '@bucketware/example-cookbook/backups';
import { eventLog } from '@bucketware/example-cookbook/event-log';
import { copyDirectory } from '@bucketware/example-cookbook/from-directory';
import { copyFromS3 } from '@bucketware/example-cookbook/from-s3';
import { quotaRule, usageCounter } from '@bucketware/example-cookbook/quotas';
import { shareLinks } from '@bucketware/example-cookbook/share-links';
import { staticSite } from '@bucketware/example-cookbook/static-site';
import { uploadPage } from '@bucketware/example-cookbook/upload-page';
import { storageMiddleware } from '@bucketware/express';
import { s3 } from '@bucketware/s3';
import { restoreStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import express, { type Request } from 'express';
import { until } from '../drivers/fixtures.js';
import { open, opening } from '../http/raw.js';
import { alice, bob, memoryStorage, principalOf } from '../http/servers.js';

/** The recipes of docs/cookbook.md, used like a reader would. */

const ALICE = { authorization: 'Bearer alice' };

async function listen(t: ExecutionContext, app: RequestListener): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function folder(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-cookbook-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('avatars: the small picture of a user is served, and nothing is stored that is no image', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'avatars' });
  const shrinking = new EventEmitter();
  const shrink = async (image: Buffer) => {
    shrinking.emit('picture');
    const [, content = ''] = image.toString('latin1').split('PNG');
    if (!content.startsWith('PIC')) throw new Error('This image is damaged.');
    if (content === 'PICASSO') await once(shrinking, 'end');
    return Buffer.from(content.slice(0, 5));
  };
  const app = express();
  app.use('/avatars', avatars(storage, { userOf: principalOf, shrink }));
  const url = `${await listen(t, app)}/avatars`;
  const put = (body: string, headers: Record<string, string>) =>
    fetch(url, { method: 'PUT', body: Buffer.from(body, 'latin1'), headers });
  t.is((await put('\x89PNGPICTURE', { 'content-type': 'image/png' })).status, 401);
  t.is((await put('\x89PNGPICTURE', { ...ALICE, 'content-type': 'text/html' })).status, 415);
  const png = { ...ALICE, 'content-type': 'image/png' };
  t.is((await put('\x89PNGdamaged', png)).status, 415);
  let pictures = 0;
  shrinking.on('picture', () => pictures++);
  for (const other of ['<svg>', '<html>', 'GIF89aPNGPICTURE', '', 'RIFF1234WAVEPNGPICTURE'])
    t.is((await put(other, png)).status, 415, other);
  t.is(pictures, 0);
  t.is((await fetch(`${url}/1001/u-alice`)).status, 404);
  t.is((await put('\x89PNGPICTURE', png)).status, 204);
  const shown = await fetch(`${url}/1001/u-alice`);
  t.is(shown.headers.get('content-type'), 'image/webp');
  t.is(await shown.text(), 'PICTU');
  const headers = {
    'if-none-match': shown.headers.get('etag') ?? '',
    'cache-control': 'max-age=0',
  };
  t.is((await fetch(`${url}/1001/u-alice`, { headers })).status, 304);
  t.is((await put('\x89PNGPICNIC', png)).status, 204);
  t.is(await (await fetch(`${url}/1001/u-alice`, { headers })).text(), 'PICNI');

  const first = put('\x89PNGPICASSO', png);
  await once(shrinking, 'picture');
  t.is((await put('\x89PNGPICKLE', png)).status, 429);
  const bobs = { authorization: 'Bearer bob', 'content-type': 'image/webp' };
  const second = put('RIFF1234WEBPPNGPICKLE', bobs);
  shrinking.emit('end');
  t.is((await first).status, 204);
  t.is((await second).status, 204);
  t.is((await put('\xff\xd8\xffPNGPICKLE', png)).status, 204);
});

test('avatars: only one body of each user is read, and none without a login', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'avatars' });
  const namesake = { ...bob, userId: alice.userId };
  const userOf = (req: Request) =>
    req.get('x-namesake') === undefined ? principalOf(req) : namesake;
  const app = express();
  app.use('/avatars', avatars(storage, { userOf, shrink: async (image) => image }));
  const origin = await listen(t, app);
  const begin = async (asAlice = true) => {
    const connection = await open(origin);
    t.teardown(() => connection.socket.destroy());
    const head = opening('PUT', '/avatars', 'Content-Type: image/png', 'Content-Length: 5000000');
    connection.socket.write(asAlice ? head : head.replace('Bearer alice', ''));
    return connection;
  };
  const answered = ({ received }: { received(): Buffer }, status: number) =>
    until(() => received().toString().startsWith(`HTTP/1.1 ${status} `));
  await answered(await begin(false), 401);
  const first = await begin();
  await sleep(50);
  await answered(await begin(), 429);
  first.socket.destroy();

  const put = (headers: Record<string, string>, body = Buffer.from('\x89PNG', 'latin1')) =>
    fetch(`${origin}/avatars`, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'image/png', ...headers },
    });
  const zipped = gzipSync(Buffer.alloc(5_000_000));
  await until(async () => (await put(ALICE)).status === 204);
  t.is((await put({ ...ALICE, 'content-encoding': 'gzip' }, zipped)).status, 415);
  t.is((await put({ 'x-namesake': '1' })).status, 204);
  const { contents } = await storage.listObjects({ bucket: 'avatars', prefix: 'original/' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['original/1001/u-alice', 'original/2002/u-alice'],
  );
});

test('avatars: one picture is drawn at a time, and 20 are in memory', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'avatars' });
  const ready: (() => void)[] = [];
  let drawn = 0;
  const shrink = async (image: Buffer) => {
    drawn += 1;
    await new Promise<void>((resolve) => ready.push(resolve));
    drawn -= 1;
    return image;
  };
  let arrived = 0;
  const userOf = (req: Request) => {
    arrived += 1;
    return { ...alice, userId: `u-${req.get('x-user')}` };
  };
  const app = express().use('/avatars', avatars(storage, { userOf, shrink }));
  const origin = await listen(t, app);
  const put = async (user: number, signal?: AbortSignal) => {
    const headers = { 'content-type': 'image/png', 'x-user': String(user) };
    const body = Buffer.from('\x89PNG', 'latin1');
    return (await fetch(`${origin}/avatars`, { method: 'PUT', body, headers, signal })).status;
  };
  const answers = Array.from({ length: 19 }, (_, user) => put(user));
  await until(() => ready.length === 1);
  const leaving = new AbortController();
  const left = put(19, leaving.signal).catch(() => 'left');
  await until(() => arrived === 20);
  t.is(await put(20), 503);
  leaving.abort();
  t.is(await left, 'left');
  for (let at = 0; at < 19; at++) {
    await until(() => ready.length > at);
    t.is(drawn, 1);
    ready[at]?.();
  }
  t.deepEqual(await Promise.all(answers), Array(19).fill(204));
  t.is(ready.length, 19); // Not the picture of the user who has left.
});

test('upload page: each user gets a page with the client, and a bucket', async (t) => {
  const storage = await memoryStorage();
  const app = express().use('/upload', uploadPage(storage, { userOf: principalOf, endpoint: '/' }));
  const url = await listen(t, app);
  t.is((await fetch(`${url}/upload`)).status, 401);
  for (const visit of ['first', 'second']) {
    const response = await fetch(`${url}/upload`, { headers: ALICE });
    t.is(response.headers.get('cache-control'), 'no-store');
    t.is(valuesIn(await response.text()).bucket, 'files-of-1001-u-alice', visit);
    for (const file of ['page.js', 'client/index.js']) {
      t.regex(await (await fetch(`${url}/upload/${file}`)).text(), /createClient/);
    }
  }
  const { buckets } = await storage.as(alice).listBuckets();
  t.deepEqual(
    buckets.map(({ name }) => name),
    ['files-of-1001-u-alice'],
  );
  // Not even a user with the same id may take the bucket of another one.
  const namesake = { ...alice, userId: bob.userId };
  await storage.as(namesake).putBucket({ bucket: 'files-of-2002-u-bob' });
  const taken = await fetch(`${url}/upload`, { headers: { authorization: 'Bearer bob' } });
  t.is(taken.status, 409);
});

test('upload page: its URL cannot run a script in it', async (t) => {
  const storage = await memoryStorage();
  const app = express();
  const endpoint = '</script><!--';
  app.use('/:team/upload', uploadPage(storage, { userOf: principalOf, endpoint }));
  const url = await listen(t, app);
  const path = `/%22';alert(1);'<!--<script>/upload`;
  const { port } = new URL(url);
  const request = get({ port, path, headers: ALICE });
  const [response] = await once(request, 'response');
  const page = await text(response);
  t.is(valuesIn(page).endpoint, endpoint);
  const [, address = ''] = /src="(.*?)"/.exec(page) ?? [];
  t.is(address.replaceAll('&lt;', '<'), `${path}/page.js`);
  t.false(page.includes('<!--'));
  t.is(page.match(/<script/g)?.length, 2);
});

/** The values that the upload page passes to its script. */
const valuesIn = (page: string): { endpoint: string; bucket: string } =>
  JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(page)?.[1] ?? '');

test('share links: a link reads one object without a login, and ends with its user', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'albums' });
  await storage.putObject({ bucket: 'albums', key: '2026/a cat.txt', body: 'a cat' });
  const namesake = { ...bob, userId: alice.userId };
  const known = [namesake, alice, bob];
  const users = new Map(known.map((user) => [`${user.tenantId} ${user.userId}`, user]));
  const app = express();
  const publicUrl = await listen(t, app);
  const findUser = async (...ids: [string, string]) => users.get(ids.join(' '));
  const secret = 'a secret of thirty-two characters';
  app.use(shareLinks(storage, { publicUrl, userOf: principalOf, findUser, secret }));
  const share = (headers: Record<string, string>) =>
    fetch(`${publicUrl}/share/albums/2026/a%20cat.txt`, { method: 'POST', headers });
  t.is((await share({})).status, 401);
  const { url } = (await (await share(ALICE)).json()) as { url: string };
  t.is(await (await fetch(url)).text(), 'a cat');
  t.is((await fetch(url.replace('a%20cat', 'a%20dog'))).status, 403);
  const ofBob = (await (await share({ authorization: 'Bearer bob' })).json()) as { url: string };
  t.is((await fetch(ofBob.url)).status, 403);
  // The mount for links gives a login no rights: it would get past the rules of other mounts.
  for (const [method, path] of [
    ['GET', '/albums/2026/a%20cat.txt'],
    ['PUT', '/albums/new'],
    ['PUT', '/another-bucket'],
  ] as const) {
    t.is((await fetch(`${publicUrl}/files${path}`, { method, headers: ALICE })).status, 403);
  }
  users.delete('1001 u-alice');
  t.is((await fetch(url)).status, 403);
});

test('quotas: an upload beyond the limit is rejected, even in parts and without a length', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'mine' });
  const usageOf = usageCounter(storage);
  const authorize = quotaRule(storage, { usageOf, maxBytes: 10 });
  const app = express().use(
    '/files',
    storageMiddleware(storage, { principal: principalOf, authorize }),
  );
  const url = `${await listen(t, app)}/files/mine`;
  const put = (key: string, body: string) =>
    fetch(`${url}/${key}`, { method: 'PUT', body, headers: ALICE });
  t.is((await put('a', '123456')).status, 200);
  t.is((await put('b', '12345')).status, 403);
  t.is((await put('b', '1234')).status, 200);
  t.is(await usageOf('mine'), 10);
  t.is((await fetch(`${url}2`, { method: 'PUT', headers: ALICE })).status, 403);
  t.is((await fetch(`${url}/a`, { method: 'DELETE', headers: ALICE })).status, 204);
  t.is((await put('c', '123456')).status, 200);

  t.is((await fetch(`${url}/b`, { method: 'DELETE', headers: ALICE })).status, 204);
  const chunked = { method: 'PUT', headers: ALICE, duplex: 'half' } as const;
  const body = () => new Blob(['1']).stream();
  t.is((await fetch(`${url}/d`, { ...chunked, body: body() })).status, 403);
  const copy = { ...ALICE, 'x-svc-copy-source': '/mine/c' };
  t.is((await fetch(`${url}/d`, { method: 'PUT', headers: copy })).status, 403);
  const begun = await fetch(`${url}/d?uploads`, { method: 'POST', headers: ALICE });
  const { uploadId } = (await begun.json()) as { uploadId: string };
  const part = (number: number) => put(`d?uploadId=${uploadId}&partNumber=${number}`, '123');
  const first = await part(1);
  t.is(first.status, 200);
  t.is((await part(2)).status, 403);
  t.is((await put('e', '12')).status, 403);
  const parts = [{ partNumber: 1, eTag: first.headers.get('etag') }];
  const completed = await fetch(`${url}/d?uploadId=${uploadId}`, {
    ...{ method: 'POST', headers: ALICE, body: JSON.stringify({ parts }) },
  });
  t.is(completed.status, 200);
  t.is(await usageOf('mine'), 9);
});

test('quotas: a user may have a few unfinished uploads', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'mine' });
  const authorize = quotaRule(storage, { usageOf: usageCounter(storage), maxBytes: 10 });
  const app = express().use(
    '/files',
    storageMiddleware(storage, { principal: principalOf, authorize }),
  );
  const url = `${await listen(t, app)}/files/mine`;
  const begin = async () =>
    (await fetch(`${url}/a?uploads`, { method: 'POST', headers: ALICE })).status;
  for (let at = 0; at < 20; at++) t.is(await begin(), 200);
  t.is(await begin(), 403);
  const [upload] = (await storage.listMultipartUploads({ bucket: 'mine' })).uploads;
  const { key, uploadId } = upload as { key: string; uploadId: string };
  const left = { method: 'DELETE', headers: ALICE };
  t.is((await fetch(`${url}/${key}?uploadId=${uploadId}`, left)).status, 204);
  t.is(await begin(), 200);
});

test('quotas: requests share a count that begins after they have arrived', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'mine' });
  let counts = 0;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const usageOf = usageCounter(
    Object.assign(storage, {
      listMultipartUploads: ((list) => async (given: Parameters<typeof list>[0]) => {
        counts += 1;
        const page = await list(given);
        await held;
        if (counts === 2) throw new Error('The second count fails.');
        return page;
      })(storage.listMultipartUploads.bind(storage)),
    }),
  );
  const first = usageOf('mine');
  await new Promise(setImmediate);
  await storage.putObject({ bucket: 'mine', key: 'a', body: '123' });
  const others = Array.from({ length: 50 }, () => t.throwsAsync(usageOf('mine')));
  goOn();
  await first;
  await Promise.all(others);
  t.is(counts, 2);
  t.deepEqual(await Promise.all([usageOf('mine'), usageOf('mine')]), [3, 3]);
  t.is(counts, 3);
});

test('static site: pages with their scripts are served, and nothing can be changed', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'site', acl: 'public-read' });
  const page = { bucket: 'site', key: 'index.html', contentType: 'text/html', body: '<h1>Hi' };
  await storage.putObject(page);
  await storage.putObject({ ...page, key: 'docs/index.html', body: '<h1>Docs' });
  await storage.putObject({ ...page, key: 'app.js', contentType: 'text/javascript', body: '1' });
  const url = await listen(t, staticSite(storage));
  const home = await fetch(url);
  t.is(await home.text(), '<h1>Hi');
  t.is(home.headers.get('content-security-policy'), null);
  t.is(await (await fetch(`${url}/docs/?from=home`)).text(), '<h1>Docs');
  const script = await fetch(`${url}/app.js`, { headers: { 'sec-fetch-dest': 'script' } });
  t.is(script.headers.get('content-type'), 'text/javascript');
  t.is((await fetch(`${url}/app.js`, { method: 'PUT', body: '2' })).status, 405);
  t.is((await fetch(`${url}/missing`)).status, 404);
});

test('event log: lines that are written at the same time are all there, in order', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'logs' });
  const log = eventLog(storage, 'logs');
  const first = log({ at: 1 });
  await Promise.all([2, 3].map((at) => log({ at })));
  await first;
  const { contents } = await storage.listObjects({ bucket: 'logs' });
  const texts = await Promise.all(
    contents.map(async ({ key }) => (await storage.getObject({ bucket: 'logs', key })).text()),
  );
  t.is(texts.join(''), '{"at":1}\n{"at":2}\n{"at":3}\n');
});

test('event log: lines that wait are written together, and are limited', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'logs' });
  let appends = 0;
  const appendObject: typeof storage.appendObject = (given) => {
    appends++;
    return storage.appendObject(given);
  };
  const log = eventLog({ ...storage, appendObject }, 'logs');
  await Promise.all(Array.from({ length: 1000 }, (_, at) => log({ at })));
  const [{ key = '' } = {}] = (await storage.listObjects({ bucket: 'logs' })).contents;
  const lines = (await (await storage.getObject({ bucket: 'logs', key })).text()).split('\n');
  t.is(lines.length, 1001);
  t.is(lines[999], '{"at":999}');
  t.true(appends > 0 && appends < 3, `${appends} appends`);
  const large = 'x'.repeat(4_000_000);
  const results = await Promise.allSettled([1, 2, 3].map(() => log(large)));
  t.is(results.filter(({ status }) => status === 'rejected').length, 1);
  await log('again');
});

test('backups: the backup of the day can be restored', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'kept' });
  const body = Buffer.alloc(200_000, 'x');
  await storage.putObject({ bucket: 'kept', key: 'large', body });
  const directory = await folder(t);
  const said = await backUp(storage, directory);
  t.regex(said, /^1 blobs are new in /);
  const from = said.slice('1 blobs are new in '.length, -1);
  const to = { directory: join(directory, 'restored') };
  const { verified } = await restoreStorage({ from, to });
  t.is(verified.objects, 1);
});

/** Clients of a bucket `old` that is served over S3, and a bucket `new` to copy it to. */
async function migration(t: ExecutionContext) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'old' });
  await storage.putBucket({ bucket: 'new' });
  const keys = { accessKeyId: 'AKALICE', secretAccessKey: 'secret' };
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const dialect = s3({ credentials });
  const app = express().use(storageMiddleware(storage, { dialect, principal: () => undefined }));
  const endpoint = await listen(t, app);
  const client = () =>
    new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: keys });
  const textOf = async (key: string, bucket = 'new') =>
    (await storage.getObject({ bucket, key })).text();
  const copy = (of = client(), to = 'new') =>
    copyFromS3(storage, { client: of, bucket: 'old' }, to);
  return { storage, client, textOf, copy };
}

/** Calls `then` after each command of this name. */
function after(client: S3Client, name: string, then: () => unknown): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName === name) await then();
        return result;
      },
    { step: 'initialize' },
  );
}

test('migration: a directory is copied, and again only what is new', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'new' });
  const directory = await folder(t);
  await mkdir(join(directory, 'deep'));
  await mkdir(join(directory, '.git'));
  for (const hidden of ['.htpasswd', '.git/config', 'deep/.env'])
    await writeFile(join(directory, hidden), 'secret');
  await writeFile(join(directory, 'a.txt'), 'a');
  await writeFile(join(directory, 'deep', 'b'), 'bb');
  const about = (key: string) => ({ contentType: 'text/plain', metadata: { from: key } });
  const copy = () => copyDirectory(storage, { directory, bucket: 'new', about });
  t.is(await copy(), 2);
  t.is(await copy(), 0);
  await writeFile(join(directory, 'a.txt'), 'A');
  t.is(await copy(), 1);
  const found = await storage.getObject({ bucket: 'new', key: 'deep/b' });
  t.like(found, { contentType: 'text/plain', metadata: { from: 'deep/b' } });
  t.is(await found.text(), 'bb');
  // An object that a user copies over another is the user's, and a list that a user sets is kept.
  const source = { bucket: 'new', key: 'deep/b' };
  await storage.copyObject({ source, bucket: 'new', key: 'a.txt' });
  await storage.putObjectAcl({ ...source, accessControlList: [] });
  await writeFile(join(directory, 'deep', 'b'), 'bbb');
  t.is(await copy(), 0);
  t.deepEqual((await storage.getObjectAcl(source)).accessControlList, []);
});

test('migration: a bucket of S3 is copied, and again only what is new', async (t) => {
  const { storage, client, textOf, copy } = await migration(t);
  const deep = { bucket: 'old', key: 'deep/b', contentType: 'text/plain' };
  await storage.putObject({ bucket: 'old', key: 'a.txt', body: 'a' });
  await storage.putObject({ ...deep, body: 'b' });
  const odd = { key: 'a+b c\u0001ü', contentDisposition: 'attachment; filename="Übersicht.pdf"' };
  const metadata = {
    title: 'Übersicht 日本',
    words:
      '=?UTF-8?B?w5xi?= =?UTF-8?Q?er=C3=BC_x?= =?utf-8?q?=0A?= =?utf-8?b?not base64?= =?utf-8?b??=',
  };
  const words = 'Überü x=?utf-8?q?=0A?= =?utf-8?b?not base64?= =?utf-8?b??=';
  await storage.putObject({ bucket: 'old', ...odd, metadata, body: 'odd' });
  t.is(await copy(), 3);
  t.is(await copy(), 0);
  const copied = await storage.getObjectMeta({ bucket: 'new', key: odd.key });
  t.is(copied.contentDisposition, odd.contentDisposition);
  t.like(copied.metadata, { title: metadata.title, words });
  // An object that changes before its copy is complete is copied again.
  await storage.putObject({ ...deep, body: 'b2' });
  const racing = client();
  const change = { ...deep, metadata: { from: 'deep/b' }, body: 'bb' };
  after(racing, 'GetObjectCommand', () => storage.putObject(change));
  t.is(await copy(racing), 1);
  t.is(await copy(), 1);
  const found = await storage.getObject({ bucket: 'new', key: 'deep/b' });
  t.like(found, { contentType: 'text/plain', metadata: { from: 'deep/b' } });
  t.is(await found.text(), 'bb');
  // An object that a user copies over another is the user's.
  const source = { bucket: 'new', key: 'deep/b' };
  await storage.copyObject({ source, bucket: 'new', key: 'a.txt' });
  t.is(await copy(), 0);
  t.is(await textOf('a.txt'), 'bb');
  // A list that a user sets is kept.
  await storage.putObjectAcl({ ...source, accessControlList: [] });
  await storage.putObject({ ...deep, body: 'bbb' });
  t.is(await copy(), 0);
  t.deepEqual((await storage.getObjectAcl(source)).accessControlList, []);
});

test('migration: objects that are deleted before their turn are reported once all others are copied', async (t) => {
  const { storage, client, textOf, copy } = await migration(t);
  for (const key of ['x1', 'x2', 'x3']) await storage.putObject({ bucket: 'old', key, body: key });
  const racing = client();
  after(racing, 'ListObjectsV2Command', () => storage.deleteObject({ bucket: 'old', key: 'x2' }));
  await t.throwsAsync(copy(racing), {
    message: /^2 objects were copied, but 1 were not, such as x2\./,
  });
  t.is(await textOf('x3'), 'x3');
  t.is(await copy(), 0);
});

// Some services do not encode the keys of a listing, or do not say whether they do.
for (const isEncoded of [true, false]) {
  for (const says of ['url', undefined] as const) {
    const keys = isEncoded ? 'encoded' : 'plain';
    test(`migration: every object is copied from a service that lists ${keys} keys and says ${says}`, async (t) => {
      const { storage, client, textOf, copy } = await migration(t);
      const names = ['C++.txt', 'C  .txt', 'C%2B%2B.txt', '%41', 'A', '100%', '日本'.repeat(100)];
      for (const key of names) await storage.putObject({ bucket: 'old', key, body: key });
      const odd = client();
      odd.middlewareStack.add(
        (next) => async (args) => {
          const input = { ...args.input, EncodingType: isEncoded ? 'url' : undefined };
          const result = await next({ ...args, input });
          Object.assign(result.output, { EncodingType: says });
          return result;
        },
        { step: 'initialize' },
      );
      t.is(await copy(odd), names.length);
      t.is(await copy(odd), 0);
      for (const key of names) t.is(await textOf(key), key);
    });
  }
}

test('migration: files never replace what the app has stored since', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'new' });
  const directory = await folder(t);
  const textOf = async (key: string) => (await storage.getObject({ bucket: 'new', key })).text();
  await writeFile(join(directory, 'a'), 'old');
  t.is(await copyDirectory(storage, { directory, bucket: 'new' }), 1);
  await storage.putObject({ bucket: 'new', key: 'a', body: 'a newer one' });
  await writeFile(join(directory, 'a'), 'changed');
  await writeFile(join(directory, 'b'), 'old');
  const about = (key: string) => {
    // A user is faster.
    void storage.putObject({ bucket: 'new', key, body: 'theirs' });
    return {};
  };
  t.is(await copyDirectory(storage, { directory, bucket: 'new', about }), 0);
  t.deepEqual(await Promise.all(['a', 'b'].map(textOf)), ['a newer one', 'theirs']);
});
