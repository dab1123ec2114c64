import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStorage, Principal, StorageRequest, StorageResponse } from '@bucketware/core';
import test from 'ava';
import { turnsDuring } from '../drivers/fixtures.js';
import { alice, bob, listen, memoryStorage, onNode } from '../http/servers.js';

const bucket = 'bucket';
const MIB = 1024 * 1024;

/** JSON needs six bytes for each of these characters. */
const escaped = (at: number): string => String(at).padStart(8, '0') + '\x01'.repeat(1015);

async function filled(storage: ObjectStorage, count: number, keyOf: (at: number) => string) {
  await storage.putBucket({ bucket });
  for (let at = 0; at < count; at++) {
    await storage.putObject({ bucket, key: keyOf(at), body: '' });
  }
}

test('a page ends before its keys become too large, and the next one continues there', async (t) => {
  const storage = await memoryStorage();
  await filled(storage, 400, escaped);
  for (let at = 0; at < 400; at++) {
    await storage.initiateMultipartUpload({ bucket, key: escaped(at) });
  }
  const { origin, close } = await listen(onNode(storage, { authorize: () => true }));
  t.teardown(close);
  const pages = async (query: string, list: string, nextOf: (page: Page) => string) => {
    const keys: string[] = [];
    const sizes: number[] = [];
    for (let more = ''; ; ) {
      const answer = await fetch(`${origin}/${bucket}?${query}${more}`);
      const text = await answer.text();
      t.true(text.length < 1.5 * MIB, `${query}: ${text.length} bytes`);
      t.is(answer.headers.get('content-length'), String(text.length));
      const page = JSON.parse(text) as Page;
      const shown = [...(page[list] ?? []), ...(page.commonPrefixes ?? [])];
      keys.push(...shown.map(({ key, prefix }) => key ?? (prefix as string)));
      sizes.push(shown.length);
      if (!page.isTruncated) return { keys, sizes };
      more = nextOf(page);
    }
  };
  const all = Array.from({ length: 400 }, (_, at) => escaped(at));
  const byMarker = ({ nextMarker }: Page) => `&marker=${encodeURIComponent(`${nextMarker}`)}`;
  const byUpload = ({ nextKeyMarker, nextUploadIdMarker }: Page) =>
    `&keyMarker=${encodeURIComponent(`${nextKeyMarker}`)}&uploadIdMarker=${nextUploadIdMarker}`;
  const rows = [
    await pages('maxKeys=1000', 'contents', byMarker),
    await pages('uploads', 'uploads', byUpload),
  ];
  for (const { keys, sizes } of rows) {
    t.deepEqual(keys, all);
    t.is(sizes.length, 2);
  }
  const folders = await pages('delimiter=%01', 'contents', byMarker);
  t.deepEqual(
    folders.keys,
    all.map((key) => key.slice(0, 9)),
  );
  t.is(folders.sizes.length, 1);
});

interface Page extends Readonly<Record<string, readonly Shown[]>> {
  readonly isTruncated: never;
  readonly nextMarker: never;
  readonly nextKeyMarker: never;
  readonly nextUploadIdMarker: never;
}

interface Shown {
  readonly key?: string;
  readonly prefix?: string;
}

test('a page may have a thousand keys of the maximum length', async (t) => {
  const storage = await memoryStorage();
  await filled(storage, 1001, (at) => String(at).padStart(1023, 'x'));
  const { contents, isTruncated } = await storage.listObjects({ bucket });
  t.deepEqual([contents.length, isTruncated], [1000, true]);
});

test('unread responses count against the limit of their caller until they are read or abandoned', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 6 * MIB, onError: () => {} });
  await filled(storage, 400, escaped);
  const handle = storage.handler({ authorize: () => true });
  const list = async (principal = alice, url = '/bucket') => {
    const request: StorageRequest = {
      ...{ method: 'GET', url, mount: '', encrypted: false },
      rawHeaders: ['Host', 'x'],
      body: {
        parsed: undefined,
        chunks: () => Readable.from([]),
        whole: async () => Buffer.alloc(0),
      },
      principal: () => principal,
    };
    const response = await handle(request);
    if (response === undefined) throw new Error('The request was not for the storage.');
    return response;
  };
  // A caller may use 4 MiB, and a page has 1.3 MiB.
  const unread = await list();
  const more = [await list(), await list()];
  for (const { status } of [unread, ...more]) t.is(status, 200);
  const refused = await list();
  t.like(refused, { status: 503, headers: { 'retry-after': '5' } });
  t.regex(String(refused.body), /"SlowDown"/);
  // There is room for small responses, and for those of other callers.
  t.is((await list(alice, '/bucket?maxKeys=5')).status, 200);
  const others = await list(bob);
  t.is(others.status, 200);

  t.is((await buffer(unread.body as Readable)).length, Number(unread.headers['content-length']));
  const next = await list();
  t.is(next.status, 200);
  for (const { body } of [next, others, ...more]) {
    const closed = new Promise((resolve) => (body as Readable).once('close', resolve));
    (body as Readable).destroy();
    await closed;
  }
  for (let round = 0; round < 5; round++) {
    const { status, body } = await list();
    t.is(status, 200);
    await buffer(body as Readable);
  }
});

/** Sends requests whose responses are read only if the test reads them. */
function unreadFrom(storage: ObjectStorage) {
  const handle = storage.handler({ authorize: () => true });
  return async (principal: Principal, url: string, names?: readonly string[]) => {
    const objects = names?.map((key) => ({ key }));
    const json = Buffer.from(JSON.stringify({ objects }));
    const request: StorageRequest = {
      ...{ method: names ? 'POST' : 'GET', url, mount: '', encrypted: false },
      rawHeaders: ['Host', 'x', 'Content-Length', `${json.length}`],
      body: { parsed: undefined, chunks: () => Readable.from([json]), whole: async () => json },
      principal: () => principal,
    };
    const response = await handle(request);
    if (response === undefined) throw new Error('The request was not for the storage.');
    return response;
  };
}

const isSent = ({ status }: StorageResponse): boolean => status === 200;

test('a caller who reads no responses to batches can send no more of them, and others can', async (t) => {
  const storage = await memoryStorage({ onError: () => {} });
  await filled(storage, 400, escaped);
  await storage.as(bob).putBucket({ bucket: 'of-bob' });
  const send = unreadFrom(storage);
  const absent = Array.from({ length: 1000 }, (_, at) => `${at}-${'x'.repeat(900)}`);
  const batch = (names = absent) => send(bob, '/of-bob?delete', names);
  await storage.putObject({ bucket: 'of-bob', key: 'kept', body: '' });
  const unread: StorageResponse[] = [];
  for (let count = 0; count < 20; count++) unread.push(await batch());
  const sent = unread.filter(isSent);
  // A caller may use 8 MiB, and each response has 1 MB.
  t.true(sent.length >= 7 && sent.length <= 8);
  t.is((await batch([...absent.slice(1), 'kept'])).status, 503);
  t.is((await storage.listObjects({ bucket: 'of-bob' })).contents.length, 1);
  t.is((await batch(['few'])).status, 200);
  t.is((await send(alice, '/bucket')).status, 200);
  for (const { body } of sent) await buffer(body as Readable);
  t.is((await batch()).status, 200);
});

test('batches that are sent at once do not take more memory for their responses', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 8 * MIB, onError: () => {} });
  await storage.as(bob).putBucket({ bucket: 'of-bob' });
  const send = unreadFrom(storage);
  const absent = Array.from({ length: 1000 }, (_, at) => `${at}`);
  const batch = () => send(bob, '/of-bob?delete', absent);
  const sent = (await Promise.all(Array.from({ length: 60 }, batch))).filter(isSent);
  const bytes = sent.map(({ headers }) => Number(headers['content-length']));
  t.true(sent.length > 10);
  // A caller may use 4 MiB.
  t.true(bytes.reduce((sum, length) => sum + length, 0) <= 4 * MIB);
  for (const { body } of sent) await buffer(body as Readable);
  t.is((await batch()).status, 200);
});

test('many concurrent listings and batches let other requests run', async (t) => {
  const storage = await memoryStorage();
  await filled(storage, 1000, (at) => `key ${at}`);
  const many = (count: number, call: () => Promise<unknown>) => () =>
    Promise.all(Array.from({ length: count }, call));
  t.true((await turnsDuring(many(40, () => storage.listObjects({ bucket })))) >= 5);
  const objects = Array.from({ length: 1000 }, (_, at) => ({ key: `key ${at}` }));
  t.true(
    (await turnsDuring(many(10, () => storage.deleteMultipleObjects({ bucket, objects })))) >= 5,
  );
});
