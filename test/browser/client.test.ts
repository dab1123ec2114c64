import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientOptions, StorageClient, StorageError } from '@bucketware/client';
import { storageMiddleware } from '@bucketware/express';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import express from 'express';
import type { Page } from 'playwright-core';
import { bytesOf } from '../client/fixtures.js';
import { alice, listen, memoryStorage } from '../http/servers.js';
import { inBrowser, theBrowser } from './chromium.js';

const bucket = 'bucket';
const key = 'large';
const partSize = 256 * 1024;
const body = bytesOf(8 * partSize + 5);

/** A page with the client as a bundle, and an upload of the chosen file that a test can follow. */
const PAGE = `<!doctype html><title>page</title><input type="file">
<script type="module">
  import { createClient } from '/client.js';
  const storage = createClient({ endpoint: '/storage', retry: { firstDelay: 20, times: 3 } });
  Object.assign(window, { createClient, storage, progress: [], interruptions: [], bodies: [] });
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) {
    bodies.push(body.constructor.name);
    send.call(this, body);
  };
  window.failsToAppend = () => storage
    .append({ bucket: '${bucket}', key: 'log', body: document.querySelector('input').files[0] })
    .then(() => false, () => true);
  window.start = (options = {}) => {
    window.upload = storage.upload({
      bucket: '${bucket}', key: '${key}', partSize: ${partSize}, concurrency: 2,
      body: document.querySelector('input').files[0],
      onProgress: ({ loaded }) => progress.push(loaded),
      ...options,
    });
    window.ended = upload.then((done) => ({ ...done }), ({ code, message }) => ({ code, message }));
  };
</script>`;

declare global {
  // Globals of the page.
  var start: (options?: object) => void;
  /** Appends the chosen file. */
  var failsToAppend: () => Promise<boolean>;
  var upload: { state: string; resume(): void };
  var ended: Promise<{ code?: string; message?: string; resumed?: number; size?: number }>;
  var progress: number[];
  var interruptions: string[];
  var bodies: string[];
  var storage: StorageClient;
  var createClient: (options: ClientOptions) => StorageClient;
}

const bundled = async (): Promise<string> => {
  const entry = fileURLToPath(import.meta.resolve('@bucketware/client'));
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [entry] });
  return outputFiles[0]?.text as string;
};

/** An app that authenticates with a cookie. Parts beyond `held` wait until it is raised, uploads while `closed`. */
async function open(t: ExecutionContext) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  const script = await bundled();
  const app = express();
  const gate = { held: Infinity, closed: false, sent: [] as number[] };
  app.get('/', (_req, res) => void res.type('html').send(PAGE));
  app.get('/client.js', (_req, res) => void res.type('js').send(script));
  app.use(async (req, _res, next) => {
    const part = Number(/partNumber=(\d+)/.exec(req.url)?.[1] ?? 0);
    if (part > 0) gate.sent.push(part);
    while (part > gate.held || (gate.closed && req.method === 'PUT'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    next();
  });
  const principal = (req: express.Request) =>
    req.headers.cookie?.includes('session=alice') ? alice : undefined;
  app.use('/storage', storageMiddleware(storage, { principal, onError: () => {} }));
  const server = await listen(app);
  const context = await theBrowser().newContext();
  const directory = await mkdtemp(join(tmpdir(), 'client-'));
  const file = join(directory, 'file.bin');
  await writeFile(file, body);
  t.teardown(async () => {
    Object.assign(gate, { held: Infinity, closed: false });
    await context.close();
    await server.close();
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  });
  const login = () => context.addCookies([{ name: 'session', value: 'alice', url: server.origin }]);
  await login();
  const choose = async (page: Page) => {
    await page.goto(server.origin);
    await page.setInputFiles('input', file);
  };
  const page = await context.newPage();
  await choose(page);
  const stored = async () => {
    const bytes = await (await storage.getObject({ bucket, key })).bytes();
    return bytes.equals(body);
  };
  return { storage, context, gate, login, choose, page, file, stored };
}

const startIn = (page: Page, options = {}) =>
  page.evaluate((given) => globalThis.start(given), options);
const endOf = (page: Page) => page.evaluate(() => globalThis.ended);
/** Waits until this many bytes have been sent. */
const sent = (page: Page, bytes: number) =>
  page.waitForFunction((least) => (globalThis.progress.at(-1) ?? 0) >= least, bytes);

/** Starts an upload, and ends the session after two parts, so that the upload pauses. */
async function pauseByLogout({ page, gate, context }: Awaited<ReturnType<typeof open>>) {
  gate.held = 2;
  await page.evaluate(() =>
    globalThis.start({
      onInterruption: ({ code }: { code: string }) => globalThis.interruptions.push(code),
    }),
  );
  await sent(page, 2 * partSize);
  await context.clearCookies();
  gate.held = Infinity;
  await page.waitForFunction(() => globalThis.interruptions.length > 0);
}

inBrowser('the client', () => {
  test('a page uploads a file with progress, with the session of its cookie', async (t) => {
    const { page, stored, storage } = await open(t);
    await startIn(page, { partSize: 4 * 1024 * 1024 });
    t.like(await endOf(page), { size: body.length, resumed: 0 });
    t.true(await stored());
    const { etag, contentType } = await storage.getObjectMeta({ bucket, key });
    t.is(etag, createHash('md5').update(body).digest('hex')); // One part: one request.
    t.is(contentType, 'application/octet-stream');
    // The browser reads the file itself, which takes less time and memory than passing it the
    // bytes.
    t.deepEqual(await page.evaluate(() => globalThis.bodies), ['Blob']);
    const progress = await page.evaluate(() => globalThis.progress);
    t.true(progress.length >= 2 && progress.at(-1) === body.length, progress.join());
  });

  test('a page reads the current data, whatever its browser has cached', async (t) => {
    const { page, storage } = await open(t);
    const put = (body: string) =>
      storage.putObject({ bucket, key: 'kept', body, cacheControl: 'private, max-age=3600' });
    const read = () =>
      page.evaluate(async (name) => (await globalThis.storage.getObject(name)).text(), {
        bucket,
        key: 'kept',
      });
    await put('old');
    t.is(await read(), 'old');
    await put('new');
    t.is(await read(), 'new');
  });

  test('after a reload, only missing data is sent', async (t) => {
    const { page, gate, choose, stored } = await open(t);
    gate.held = 4;
    await startIn(page);
    await sent(page, 4 * partSize);
    gate.sent.length = 0;
    await choose(page); // A reload.
    gate.held = Infinity;
    await startIn(page);
    const { resumed, size } = await endOf(page);
    t.true((resumed ?? 0) >= 2 * partSize, `${resumed}`);
    t.is(size, body.length);
    t.false(gate.sent.includes(1));
    t.true(await stored());
  });

  test('a second tab that uploads to the same key must wait', async (t) => {
    const { page, context, gate, choose, stored } = await open(t);
    gate.held = 2;
    await startIn(page);
    await sent(page, 2 * partSize);
    const second = await context.newPage();
    await choose(second);
    await startIn(second);
    const { code, message } = await endOf(second);
    t.is(code, 'UploadInUse');
    t.regex(message ?? '', /another tab/);
    gate.held = Infinity;
    t.is((await endOf(page)).size, body.length);
    t.true(await stored());
  });

  test('a file that changes on disk during its upload is rejected', async (t) => {
    const { page, gate, file, storage } = await open(t);
    gate.held = 2;
    await startIn(page);
    await sent(page, 2 * partSize);
    await writeFile(file, bytesOf(body.length));
    gate.held = Infinity;
    const { code, message } = await endOf(page);
    t.is(code, 'SourceChanged');
    t.regex(message ?? '', /Choose it again/);
    t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 0);
  });

  test('a file that changes while a request sends it is rejected', async (t) => {
    const large = bytesOf(32 * 1024 * 1024); // More than the sockets hold.
    for (const options of [{ partSize: large.length / 2 }, { partSize: 2 * large.length }]) {
      const { page, gate, file, choose, storage } = await open(t);
      await writeFile(file, large);
      await choose(page);
      gate.closed = true;
      await startIn(page, options);
      await sent(page, 1);
      await writeFile(file, large.subarray(1));
      gate.closed = false;
      t.is((await endOf(page)).code, 'SourceChanged', `parts of ${options.partSize} bytes`);
      t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 0);
    }
  });

  test('a file that is gone before its upload begins does not replace an object', async (t) => {
    const { page, file, storage } = await open(t);
    await storage.putObject({ bucket, key, body: 'old' });
    await rm(file);
    await startIn(page);
    t.is((await endOf(page)).code, 'SourceChanged');
    const failed = await page.evaluate(() => globalThis.failsToAppend());
    t.true(failed);
    t.is(await (await storage.getObject({ bucket, key })).text(), 'old');
    await writeFile(file, '');
    await page.setInputFiles('input', file);
    await startIn(page);
    t.is((await endOf(page)).size, 0);
  });

  test('a file that changes while its upload is paused is rejected', async (t) => {
    const app = await open(t);
    const { page, file, login, storage } = app;
    await pauseByLogout(app);
    await writeFile(file, bytesOf(body.length));
    await login();
    await page.evaluate(() => globalThis.upload.resume());
    t.is((await endOf(page)).code, 'SourceChanged');
    t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 0);
  });

  test('when the session ends, the upload pauses until the user has logged in again', async (t) => {
    const app = await open(t);
    const { page, login, stored } = app;
    await pauseByLogout(app);
    t.is(await page.evaluate(() => globalThis.upload.state), 'paused');
    t.deepEqual(await page.evaluate(() => globalThis.interruptions), ['AccessDenied']);
    await login();
    await page.evaluate(() => globalThis.upload.resume());
    t.is((await endOf(page)).size, body.length);
    t.true(await stored());
  });

  test('an upload that is aborted before its request is not sent', async (t) => {
    const { page, storage, gate } = await open(t);
    await storage.putObject({ bucket, key, body: 'old' });
    const ended = await page.evaluate(
      async ({ bucket, key }) => {
        const name = (error: Error) => error.name;
        const body = new Blob(['new']);
        const put = { bucket, key, body, onProgress() {}, signal: AbortSignal.abort() };
        const aborted = await globalThis.storage.putObject(put).then(() => 'done', name);
        let release = () => {};
        const released = new Promise<Record<string, string>>((resolve) => {
          release = () => resolve({});
        });
        const slow = globalThis.createClient({ endpoint: '/storage', headers: () => released });
        const upload = slow.upload({ bucket, key, body });
        const rejected = upload.then(() => 'done', name);
        const end = upload.abort();
        release();
        await end;
        return [aborted, await rejected, upload.state];
      },
      { bucket, key },
    );
    t.deepEqual(ended, ['AbortError', 'AbortError', 'aborted']);
    const paused = await page.evaluate(
      async ({ bucket, key }) => {
        let calls = 0;
        const headers = async () => {
          calls++;
          await new Promise((resolve) => setTimeout(resolve, 100));
          return {};
        };
        const slow = globalThis.createClient({ endpoint: '/storage', headers });
        const upload = slow.upload({ bucket, key, body: new Blob(['new']) });
        while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        upload.pause();
        await new Promise((resolve) => setTimeout(resolve, 300));
        const { state } = upload;
        const text = await (await globalThis.storage.getObject({ bucket, key })).text();
        upload.resume();
        return [state, text, (await upload).size];
      },
      { bucket, key },
    );
    t.deepEqual(paused, ['paused', 'old', 3]);
    t.deepEqual(gate.sent, []);
  });

  test('the methods of a download fail with its own error', async (t) => {
    const { page, storage } = await open(t);
    await storage.putObject({ bucket, key, body });
    const errors = await page.evaluate(
      async ({ bucket, key }) => {
        const found: string[] = [];
        const damaging: typeof fetch = async (...given) => {
          const { body, headers } = await fetch(...given);
          const flip = new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              controller.enqueue(chunk.map((byte) => byte ^ 1));
            },
          });
          return new Response((body as ReadableStream<Uint8Array>).pipeThrough(flip), { headers });
        };
        const damaged = globalThis.createClient({ endpoint: '/storage', fetch: damaging });
        for (const method of ['bytes', 'text', 'json', 'blob'] as const) {
          const download = await damaged.download({ bucket, key });
          await download[method]().catch((error: StorageError) => found.push(error.code));
          const onProgress = () => {
            throw new Error('no bar');
          };
          const failing = await globalThis.storage.download({ bucket, key, onProgress });
          await failing[method]().catch((error: Error) => found.push(error.message));
          const controller = new AbortController();
          const { signal } = controller;
          const stopped = await globalThis.storage.getObject({ bucket, key, signal });
          controller.abort(new Error('my reason'));
          await stopped[method]().catch((error: Error) => found.push(error.message));
        }
        return found;
      },
      { bucket, key },
    );
    const each = ['ChecksumMismatch', 'no bar', 'my reason'];
    t.deepEqual(errors, [...each, ...each, ...each, ...each]);
  });

  test('an upload without credentials sends no cookie', async (t) => {
    const { page } = await open(t);
    const code = await page.evaluate(
      ({ bucket, key }) =>
        globalThis
          .createClient({ endpoint: '/storage', credentials: 'omit' })
          .upload({ bucket, key, body: new Blob(['new']) })
          .then(
            () => 'done',
            (error: StorageError) => error.code,
          ),
      { bucket, key },
    );
    t.is(code, 'AccessDenied');
    // Another origin gets no cookie, so the progress can be followed.
    const elsewhere = page.url().replace('127.0.0.1', 'localhost');
    const followed = await page.evaluate(async (endpoint) => {
      const other = globalThis.createClient({ endpoint, credentials: 'omit', retry: false });
      const body = new Blob(['new']);
      await other.upload({ bucket: 'b', key: 'k', body }).catch(() => {});
      return globalThis.bodies;
    }, elsewhere);
    t.deepEqual(followed, ['Blob']);
  });

  test('an upload ends after a response with the status 205', async (t) => {
    const { page, storage } = await open(t);
    await page.route('**/storage/**', (route) => route.fulfill({ status: 205 }));
    const code = await page.evaluate(
      ({ bucket, key }) =>
        globalThis.storage.upload({ bucket, key, body: new Blob(['new']) }).then(
          () => 'done',
          (error: StorageError) => error.code,
        ),
      { bucket, key },
    );
    t.is(code, 'UnexpectedResponse');
    t.is((await storage.listObjects({ bucket })).contents.length, 0);
  });
});
