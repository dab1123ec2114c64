import type { ObjectStorage } from '@bucketware/core';
import test from 'ava';
import type { BrowserContext } from 'playwright-core';
import { alice, listen, memoryStorage, onKoa, type RunningServer } from '../http/servers.js';
import { inBrowser, theBrowser } from './chromium.js';

const bucket = 'bucket';

const RUN = 'document.title = "ran"';
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${RUN}</script>shown</body></html>`;

/** Content that a browser could run when it is opened. */
const ACTIVE = [
  [
    'page',
    'text/html',
    `<title>still</title>shown<script>${RUN}</script><img src="x" onerror='${RUN}'>`,
  ],
  [
    'image',
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script></svg>`,
  ],
  ['xhtml', 'application/xhtml+xml', XHTML],
  [
    'styled',
    'text/xml',
    `<?xml-stylesheet type="text/xsl" href="/storage/${bucket}/sheet"?><root/>`,
  ],
  ['movie', 'video/mp4', XHTML],
] as const;

const SHEET = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/">${XHTML}</xsl:template></xsl:stylesheet>`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>`;

/** A second of silence: 8,000 samples of a byte. */
function wave(): Buffer {
  const samples = 8000;
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [16, 0x10001, samples, samples, 0x80001].entries()) {
    head.writeUInt32LE(value, 16 + 4 * at);
  }
  head.write('data', 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

let context: BrowserContext;
let storage: ObjectStorage;
let server: RunningServer;

const urlOf = (key: string) => `${server.origin}/storage/${bucket}/${key}`;
const put = (key: string, contentType: string, body: string | Uint8Array) =>
  storage.putObject({ bucket, key, contentType, body });

async function open(url: string) {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const MONTH = 30 * 24 * 60 * 60 * 1000;

/** A storage that stores objects as of a month ago, until the test sets another age. */
async function openAged() {
  let age = MONTH;
  const old = await memoryStorage({ now: () => Date.now() - age });
  await old.as(alice).putBucket({ bucket, acl: 'public-read' });
  const app = await listen(onKoa(old, { mount: '/storage' }));
  const page = await context.newPage();
  const setAge = (milliseconds: number) => {
    age = milliseconds;
  };
  const close = async () => {
    await page.close();
    await app.close();
    await old.close();
  };
  return { old, app, page, setAge, close };
}

inBrowser('stored content', () => {
  test.before(async () => {
    context = await theBrowser().newContext();
    storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket, acl: 'public-read' });
    server = await listen(onKoa(storage, { mount: '/storage' }));
    await put('script', 'text/javascript', 'globalThis.ran = true; postMessage("ran");');
    await put('style', 'text/css', 'html { color: rgb(1, 2, 3) }');
    await put('sheet', 'text/xsl', SHEET);
    await put('picture', 'image/png', PNG);
    await put('sound', 'audio/wav', wave());
    await put('paper', 'application/pdf', PDF);
    await put('text', 'text/plain', 'shown');
    for (const [key, type, body] of ACTIVE) await put(key, type, body);
  });
  test.after.always(async () => {
    await server?.close();
  });

  test('a stored object runs no script when it is opened', async (t) => {
    for (const [key] of ACTIVE) {
      const page = await open(urlOf(key));
      await page.waitForTimeout(100);
      t.not(await page.title(), 'ran', key);
      await page.close();
    }
  });

  test('images, sound, PDF and text open', async (t) => {
    const picture = await open(urlOf('picture'));
    t.is(await picture.evaluate('document.images[0].naturalWidth'), 1);
    const sound = await open(urlOf('sound'));
    await sound.waitForFunction('document.querySelector("video").duration === 1');
    const text = await open(urlOf('text'));
    t.is(await text.evaluate('document.body.textContent'), 'shown');
    const paper = await open(urlOf('paper'));
    const isViewed = () => paper.frames().some((frame) => frame.url().startsWith('chrome-ext'));
    while (!isViewed()) await paper.waitForTimeout(20);
    for (const page of [picture, sound, text, paper]) await page.close();
  });

  test('a corrected type reaches a browser that has the object, also when its cookies changed', async (t) => {
    const { old, setAge, app, page, close } = await openAged();
    const typeOf = async (key: string) => {
      await page.goto(`${app.origin}/storage/${bucket}/${key}`);
      return page.evaluate('document.contentType');
    };
    const store = (key: string, contentType: string) =>
      old.putObject({ bucket, key, contentType, acl: 'private', body: '<p>a page</p>' });
    const authorization = 'Bearer alice';
    await page.setExtraHTTPHeaders({ authorization });
    for (const key of ['same', 'other']) {
      setAge(MONTH);
      await store(key, 'text/plain');
      t.is(await typeOf(key), 'text/plain');
      const cookie: Record<string, string> = key === 'other' ? { cookie: 'visit=2' } : {};
      await page.setExtraHTTPHeaders({ authorization, ...cookie });
      setAge(0);
      await store(key, 'text/html');
      for (let visit = 0; visit < 3; visit++) t.is(await typeOf(key), 'text/html');
    }
    await close();
  });

  test('an image that was replaced is shown at the next visit', async (t) => {
    const { old, setAge, app, page, close } = await openAged();
    const shown = async () => {
      await page.goto(app.origin);
      const image = `${app.origin}/storage/${bucket}/image`;
      return page.evaluate(
        inPage(`load("img", { src: "${image}" }).then(() => document.images[0].naturalWidth)`),
      );
    };
    const store = (width: number) => {
      const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="1"/>`;
      return old.putObject({ bucket, key: 'image', contentType: 'image/svg+xml', body });
    };
    await store(11);
    t.is(await shown(), 11);
    setAge(0);
    await store(22);
    t.is(await shown(), 22);
    await close();
  });

  test('a page of the host cannot run stored scripts, but can show images and play sounds', async (t) => {
    const page = await open(`${server.origin}/`);
    const tries = [
      [false, 'load("script", { src: base + "script" })'],
      [false, 'load("script", { src: base + "script", type: "module" })'],
      [false, 'load("link", { rel: "stylesheet", href: base + "style" })'],
      [false, 'start(new Worker(base + "script"))'],
      [false, 'navigator.serviceWorker.register(base + "script").then(() => true, () => false)'],
      [false, 'Promise.resolve("ran" in globalThis)'],
      [true, 'load("img", { src: base + "picture" })'],
      [true, 'load("audio", { src: base + "sound" })'],
    ] as const;
    for (const [expected, expression] of tries) {
      t.is(await page.evaluate(inPage(expression)), expected, expression);
    }
    await page.close();
  });

  test('a page of another site can show only images that everyone may read', async (t) => {
    await storage.putObject({
      bucket,
      key: 'secret',
      body: PNG,
      contentType: 'image/png',
      acl: 'private',
    });
    const site = await listen((_, res) => {
      res.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
    });
    const extraHTTPHeaders = { authorization: 'Bearer alice' };
    const known = await theBrowser().newContext({ extraHTTPHeaders });
    t.teardown(() => Promise.all([site.close(), known.close()]));
    for (const [origin, secret] of [
      [server.origin, true],
      [site.origin.replace('127.0.0.1', 'localhost'), false],
    ] as const) {
      const page = await known.newPage();
      await page.goto(origin);
      t.true(await page.evaluate(inPage('load("img", { src: base + "picture" })')));
      t.is(await page.evaluate(inPage('load("img", { src: base + "secret" })')), secret);
      // An object that cannot be read fails like a missing one.
      for (const key of ['secret', 'absent', '?acl']) {
        t.is(await page.evaluate(inPage(`arrives(base + "${key}")`)), secret, key);
      }
    }
  });
});

/** Wraps an expression to be evaluated in a page, with the helpers that it needs. */
const inPage = (expression: string): string => `(() => {
  const base = ${JSON.stringify(urlOf(''))};
  const load = (name, attributes) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = element.onloadedmetadata = () => resolve(true);
    element.onerror = () => resolve(false);
    document.body.append(element);
  });
  const arrives = (url) => fetch(url, { mode: 'no-cors' }).then(() => true, () => false);
  const start = (worker) => new Promise((resolve) => {
    worker.onmessage = () => resolve(true);
    worker.onerror = () => resolve(false);
  });
  return ${expression};
})()`;
