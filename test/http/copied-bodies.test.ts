import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { storageMiddleware } from '@bucketware/express';
import { toWebHandler } from '@bucketware/web';
import test from 'ava';
import express, { type Request as ExpressRequest, type NextFunction } from 'express';
import { call } from './raw.js';
import { alice, listen, memoryStorage, onNode } from './servers.js';

const LIMIT = 1000;

/** As Next does before its proxy runs: buffers the body up to a limit, and passes on the copy. */
async function passOnCopy(req: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const copy = new Readable({ read() {} });
  copy.push(Buffer.concat(chunks).subarray(0, LIMIT));
  copy.push(null);
  for (const name in copy) {
    const value: unknown = Reflect.get(copy, name);
    Reflect.set(req, name, typeof value === 'function' ? value.bind(req) : value);
  }
}

test('Node: a chunked body of which the app passes on only the beginning is not stored', async (t) => {
  const storage = await memoryStorage();
  const own = storage.as(alice);
  await own.putBucket({ bucket: 'bucket' });
  const app = express();
  app.use((req: ExpressRequest, _res, next: NextFunction) => {
    passOnCopy(req).then(() => next(), next);
  });
  app.use('/storage', storageMiddleware(storage, { principal: () => alice }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  await own.putObject({ bucket: 'bucket', key: 'key', body: 'good' });
  const put = (size: number, headers: Record<string, number>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const url = `${origin}/storage/bucket/key`;
      const sent = request(url, { method: 'PUT', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.write(Buffer.alloc(size / 2));
      setImmediate(() => sent.end(Buffer.alloc(size / 2)));
    });
  t.is(await put(2 * LIMIT, {}), 411);
  t.is(await put(2 * LIMIT, { 'content-length': 2 * LIMIT }), 400);
  t.is(await (await own.getObject({ bucket: 'bucket', key: 'key' })).text(), 'good');
  t.is(await put(LIMIT, { 'content-length': LIMIT }), 200);
  t.is((await own.getObjectMeta({ bucket: 'bucket', key: 'key' })).size, LIMIT);
});

test('Web: a chunked body of which Next may pass on only the beginning is not stored', async (t) => {
  const storage = await memoryStorage();
  const own = storage.as(alice);
  await own.putBucket({ bucket: 'bucket' });
  const handle = toWebHandler(storage, { mount: '/storage', principal: () => alice });
  class NextRequest extends Request {
    readonly nextUrl = new URL(this.url);
  }
  await own.putObject({ bucket: 'bucket', key: 'key', body: 'good' });
  const put = async (headers: Record<string, string>) => {
    const body = new Blob(['the beginning']).stream();
    const init = { method: 'PUT', body, headers, duplex: 'half' } as const;
    const { status } = await handle(new NextRequest('http://localhost/storage/bucket/key', init));
    return status;
  };
  t.is(await put({ 'transfer-encoding': 'chunked' }), 411);
  t.is(await put({ 'content-length': '20' }), 400);
  t.is(await (await own.getObject({ bucket: 'bucket', key: 'key' })).text(), 'good');
  t.is(await put({ 'content-length': '13' }), 200);
});

test('a chunked body that Varnish passes on is refused, because it may have broken off', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const { origin, close } = await listen(onNode(storage, {}));
  t.teardown(close);
  const put = async (headers: Record<string, string>) => {
    const all = { authorization: 'Bearer alice', ...headers };
    return (await call(origin, 'PUT', '/bucket/key', { headers: all, body: 'data' })).status;
  };
  const chunked = { 'transfer-encoding': 'chunked' };
  t.is(await put({ ...chunked, 'x-varnish': '32770' }), 411);
  t.is(await put({ 'content-length': '4', 'x-varnish': '32770' }), 200);
  t.is(await put(chunked), 200);
});

test('Web: a chunked body that the framework leaves out is not stored as an empty object', async (t) => {
  const storage = await memoryStorage();
  const own = storage.as(alice);
  await own.putBucket({ bucket: 'bucket' });
  await own.putObject({ bucket: 'bucket', key: 'key', body: 'good' });
  const handle = toWebHandler(storage, { mount: '/storage', principal: () => alice });
  const put = async (headers: Record<string, string>) => {
    const init = { method: 'PUT', headers };
    return (await handle(new Request('http://localhost/storage/bucket/key', init))).status;
  };
  t.is(await put({ 'transfer-encoding': 'chunked' }), 411);
  t.is(await put({ 'content-length': '4' }), 400);
  t.is(await (await own.getObject({ bucket: 'bucket', key: 'key' })).text(), 'good');
  t.is(await put({ 'content-length': '0' }), 200);
});
