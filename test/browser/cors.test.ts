import type { ObjectStorage } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { carriers } from '../http/carriers.js';
import { alice, listen, memoryStorage } from '../http/servers.js';
import { inBrowser, theBrowser } from './chromium.js';

const bucket = 'bucket';

type Rules = Parameters<ObjectStorage['putBucketCors']>[0]['corsConfiguration'];

/** A request by a page. */
interface Sent {
  readonly method?: string;
  /** The path below the bucket. */
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** The number of bytes `x` to send. */
  readonly size?: number;
  readonly text?: string;
  readonly credentials?: 'include' | 'omit';
}

/** What the page could read of the response. */
interface Seen {
  /** Whether the browser hid the response from the page. */
  readonly refused?: boolean;
  readonly status?: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Setting {
  readonly storage: ObjectStorage;
  /** The origin of the page. */
  readonly origin: string;
  /** Sets the CORS rules. Without any, no page is allowed. */
  allow(...rules: Rules): Promise<void>;
  send(request: Sent): Promise<Seen>;
}

/** A page on one origin, and a storage on another that accepts alice's token. */
async function open(t: ExecutionContext, name: 'koa' | 'express5'): Promise<Setting> {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  const server = await listen(carriers[name](storage, { mount: '/storage' }));
  const site = await listen((_, res) => {
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
  });
  const page = await theBrowser().newPage();
  t.teardown(async () => {
    await page.close();
    await Promise.all([server.close(), site.close()]);
    await storage.close();
  });
  await page.goto(site.origin);
  return {
    storage,
    origin: site.origin,
    allow: (...corsConfiguration) => storage.putBucketCors({ bucket, corsConfiguration }),
    send: (request) => sendFrom(page, `${server.origin}/storage/${bucket}`, request),
  };
}

const sendFrom = (page: Page, base: string, request: Sent): Promise<Seen> =>
  page.evaluate(
    async ([
      url,
      { method = 'GET', path = '', headers = {}, size, text, credentials = 'omit' },
    ]) => {
      const body = size === undefined ? text : 'x'.repeat(size);
      const sent = { method, headers, credentials, ...(body === undefined ? {} : { body }) };
      try {
        const answer = await fetch(url + path, sent);
        const seen = Object.fromEntries(answer.headers.entries());
        return { status: answer.status, text: await answer.text(), headers: seen };
      } catch {
        return { refused: true };
      }
    },
    [base, request] as const,
  );

const REFUSED: Seen = { refused: true };
const authorization = { authorization: 'Bearer alice' };
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The text of an object; `undefined` if it does not exist. */
const stored = async ({ storage }: Setting, key: string): Promise<string | undefined> => {
  const found = await storage.getObject({ bucket, key }).catch(() => undefined);
  return found && String(await found.bytes());
};

function prove(name: 'koa' | 'express5'): void {
  test(`${name}: without rules, a page on another origin can neither read nor write`, async (t) => {
    const setting = await open(t, name);
    const { storage, send } = setting;
    await storage.putObject({ bucket, key: 'open', body: 'open', acl: 'public-read' });
    t.deepEqual(await send({ path: '/open' }), REFUSED);
    t.deepEqual(await send({ path: '/open', headers: authorization }), REFUSED);
    const put = { method: 'PUT', path: '/new', headers: authorization, text: 'x' };
    t.deepEqual(await send(put), REFUSED);
    t.is(await stored(setting, 'new'), undefined);
  });

  test(`${name}: a page that a rule allows can put, read and delete objects`, async (t) => {
    const setting = await open(t, name);
    const { send, origin, allow } = setting;
    const allowedHeaders = ['authorization', 'range', 'x-svc-*', 'content-type'];
    await allow({ allowedOrigins: [origin], allowedMethods: METHODS, allowedHeaders });
    const headers = { ...authorization, 'x-svc-meta-a': '1', 'content-type': 'text/plain' };
    t.is((await send({ method: 'PUT', path: '/a%20b', headers, text: 'hello' })).status, 200);
    t.is(await stored(setting, 'a b'), 'hello');
    const read = await send({ path: '/a%20b', headers: authorization });
    t.deepEqual([read.status, read.text], [200, 'hello']);
    const range = { ...authorization, range: 'bytes=1-2' };
    const part = await send({ path: '/a%20b', headers: range });
    t.deepEqual([part.status, part.text], [206, 'el']);
    t.is((await send({ method: 'HEAD', path: '/a%20b', headers: authorization })).status, 200);
    const list = await send({ path: '?prefix=a', headers: authorization });
    t.is(JSON.parse(list.text ?? '').contents.length, 1);
    const gone = await send({ method: 'DELETE', path: '/a%20b', headers: authorization });
    t.is(gone.status, 204);
    t.is(await stored(setting, 'a b'), undefined);
  });

  test(`${name}: a page can upload in parts, and read the exposed ETag`, async (t) => {
    const setting = await open(t, name);
    const { send, origin, allow } = setting;
    await allow({
      allowedOrigins: [origin],
      allowedMethods: METHODS,
      allowedHeaders: ['*'],
      allowedExposeHeaders: ['ETag'],
    });
    const headers = authorization;
    const begun = await send({ method: 'POST', path: '/large?uploads', headers });
    t.is(begun.status, 200);
    const { uploadId } = JSON.parse(begun.text ?? '');
    const parts: { partNumber: number; eTag: string | undefined }[] = [];
    for (const [at, size] of [200_000, 10].entries()) {
      const path = `/large?partNumber=${at + 1}&uploadId=${uploadId}`;
      const answer = await send({ method: 'PUT', path, headers, size });
      parts.push({ partNumber: at + 1, eTag: answer.headers?.etag });
    }
    const path = `/large?uploadId=${uploadId}`;
    const listed = await send({ path, headers });
    t.is(JSON.parse(listed.text ?? '').parts.length, 2);
    const text = JSON.stringify({ parts });
    t.is((await send({ method: 'POST', path, headers, text })).status, 200);
    t.is((await stored(setting, 'large'))?.length, 200_010);
  });

  test(`${name}: an origin, method or header that no rule allows is rejected`, async (t) => {
    const setting = await open(t, name);
    const { storage, send, origin, allow } = setting;
    const allowedHeaders = ['authorization', 'x-svc-meta-*'];
    const rule = { allowedOrigins: [origin], allowedMethods: ['GET', 'PUT'], allowedHeaders };
    await allow({ ...rule, allowedOrigins: [`${origin}0`, 'https://*', 'null'] });
    await storage.putObject({ bucket, key: 'key', body: 'old', acl: 'public-read' });
    const put = (extra = {}) =>
      send({ method: 'PUT', path: '/key', headers: { ...authorization, ...extra }, text: 'new' });
    t.deepEqual(await put(), REFUSED);
    t.deepEqual(await send({ path: '/key' }), REFUSED);
    await allow(rule);
    t.deepEqual(await put({ 'x-other': '1' }), REFUSED);
    t.deepEqual(await put({ 'x-svc-metal': '1' }), REFUSED);
    const gone = { method: 'DELETE', path: '/key', headers: authorization };
    t.deepEqual(await send(gone), REFUSED);
    t.is(await stored(setting, 'key'), 'old');
    t.is((await put({ 'x-svc-meta-a': '1' })).status, 200);
    t.is(await stored(setting, 'key'), 'new');
    await storage.deleteBucketCors({ bucket });
    t.deepEqual(await put(), REFUSED);
  });

  test(`${name}: a page can read only exposed headers`, async (t) => {
    const { storage, send, origin, allow } = await open(t, name);
    await storage.putObject({ bucket, key: 'key', body: 'x', acl: 'public-read' });
    const rule = { allowedOrigins: [origin], allowedMethods: ['GET'] };
    await allow(rule);
    const bare = (await send({ path: '/key' })).headers ?? {};
    t.is(bare.etag, undefined);
    t.is(bare['x-svc-request-id'], undefined);
    t.is(bare['content-type'], 'application/octet-stream');
    await allow({ ...rule, allowedExposeHeaders: ['ETag', 'x-svc-request-id'] });
    const shown = (await send({ path: '/key' })).headers ?? {};
    t.regex(shown.etag ?? '', /^"[0-9a-f]{32}"$/);
    t.truthy(shown['x-svc-request-id']);
    t.is(shown['content-md5'], undefined);
  });

  test(`${name}: a page that a rule allows can read errors, and send credentials`, async (t) => {
    const { storage, send, allow } = await open(t, name);
    await allow({ allowedOrigins: ['http://127.0.0.1:*'], allowedMethods: ['GET'] });
    await storage.putObject({ bucket, key: 'key', body: 'x' });
    const denied = await send({ path: '/key', credentials: 'include' });
    t.is(denied.status, 403);
    t.is(JSON.parse(denied.text ?? '').code, 'AccessDenied');
    await storage.putBucketAcl({ bucket, acl: 'public-read' });
    t.is((await send({ path: '/absent', credentials: 'include' })).status, 404);
    t.is((await send({ path: '/key', credentials: 'include' })).text, 'x');
  });
}

inBrowser('CORS', () => {
  prove('koa');
  prove('express5');
});
