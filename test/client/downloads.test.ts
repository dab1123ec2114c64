import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import {
  chmod,
  chown,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { crc32, gzipSync } from 'node:zlib';
import type { StorageError } from '@bucketware/client';
import { isPartialName, PARTIAL_PREFIX } from '@bucketware/client/node';
import test from 'ava';
import { directoryOf, until } from '../drivers/fixtures.js';
import { bucket, bytesOf, open } from './fixtures.js';

const key = 'large';
const body = bytesOf(3_000_000);

/** A fetch whose responses break off after `after` bytes, the first `times` times. */
function cutting(after: number, times: number, seen: string[] = []): typeof fetch {
  let left = times;
  return async (...given) => {
    const response = await fetch(...given);
    const { headers, status } = response;
    if ((given[1] as RequestInit).method !== 'GET' || !response.body) return response;
    seen.push(new Headers(given[1]?.headers).get('range') ?? 'whole');
    if (left-- <= 0) return response;
    let passed = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        passed += chunk.length;
        if (passed > after) controller.error(new TypeError('cut'));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(cut), { headers, status });
  };
}

/** A response with other headers. Node cancels the unread body of a response that is garbage. */
const changedIn = ({ body, status }: Response, headers: Headers) =>
  new Response(body?.pipeThrough(new TransformStream()), { status, headers });

const STOPPED = { message: 'Ctrl-C' };

/** Options that stop a download after a third of its data. */
function stopped() {
  const controller = new AbortController();
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 1_000_000) controller.abort(new Error(STOPPED.message));
  };
  return { onProgress, signal: controller.signal };
}

test('the size of an object is right if the server sends no Content-Length with its data', async (t) => {
  const setting = await open(t);
  const without =
    (method: string) => async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
      const response = await fetch(url, init);
      if (init?.method !== method) return response;
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      return changedIn(response, headers);
    };
  const client = setting.client({ fetch: without('GET') });
  const body = bytesOf(300_000);
  const object = { bucket, key: 'k' };
  await client.putObject({ ...object, body });
  t.is((await client.getObject(object)).size, body.length);
  t.is((await client.getObject({ ...object, range: 'bytes=0-9' })).size, body.length);
  const progress: number[] = [];
  const onProgress = ({ total }: { total: number }) => progress.push(total);
  t.deepEqual(await (await client.download({ ...object, onProgress })).bytes(), body);
  t.deepEqual([...new Set(progress)], [body.length]);
  await client.append({ bucket, key: 'log', body: 'a' });
  await client.append({ bucket, key: 'log', body: 'b' });
  t.is(await (await client.getObject({ bucket, key: 'log' })).text(), 'ab');

  const lost = setting.client({ fetch: without('HEAD') });
  for (const call of [() => lost.getObjectMeta(object), () => lost.append({ ...object, body })]) {
    await t.throwsAsync(call, { message: /no Content-Length/ });
  }
});

test('no size or offset is wrong if a browser hides its header', async (t) => {
  const setting = await open(t);
  const hiding: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    const headers = new Headers(response.headers);
    for (const name of ['content-range', 'x-svc-next-append-offset']) headers.delete(name);
    return changedIn(response, headers);
  };
  const client = setting.client({ fetch: hiding });
  await client.putObject({ bucket, key, body });
  setting.sent.length = 0;
  const part = await client.getObject({ bucket, key, range: 'bytes=0-9' });
  // It is unknown. A HEAD would need another connection, and a CORS rule that allows it.
  t.like(part, { size: NaN, isPartial: true });
  t.deepEqual(await part.bytes(), body.subarray(0, 10));
  t.deepEqual(setting.sent, ['GET /storage/bucket/large']);
  const log = { bucket, key: 'log' };
  t.is((await client.append({ ...log, body: 'äb' })).nextAppendOffset, 3);
  t.is((await client.append({ ...log, body: new Blob(['cd']) })).nextAppendOffset, 5);
  t.is((await client.append({ ...log, body: bytesOf(7) })).nextAppendOffset, 12);
});

/** Reads objects some time after their responses have arrived, when those are garbage. */
const LATE = `
  import { setTimeout } from 'node:timers/promises';
  import { createClient } from '@bucketware/client/node';
  const client = createClient({
    endpoint: process.argv[1],
    headers: { authorization: 'Bearer alice' },
  });
  const name = { bucket: 'bucket', key: 'large' };
  const read = [
    (object) => object.bytes(),
    ({ body }) => new Response(body).arrayBuffer(),
    (object) => object.blob(),
  ];
  for (const bytes of read) {
    const object = await client.getObject(name);
    for (let turn = 0; turn < 5; turn++) {
      globalThis.gc();
      await setTimeout(10);
    }
    const { length, byteLength = length, size = byteLength } = await bytes(object);
    console.log(size);
  }
  process.exit();`;

test('an object can be read long after its response has arrived', async (t) => {
  const { storage, endpoint } = await open(t);
  await storage.putObject({ bucket, key, body });
  const args = ['--expose-gc', '--input-type=module', '--eval', LATE, endpoint];
  const reading = spawn(process.execPath, args, { cwd: import.meta.dirname });
  const [out, errors] = await Promise.all([text(reading.stdout), text(reading.stderr)]);
  t.deepEqual(
    out.trim().split('\n'),
    [`${body.length}`, `${body.length}`, `${body.length}`],
    errors,
  );
});

test('a download is complete if its connection breaks after the last byte', async (t) => {
  const { storage, client } = await open(t);
  await storage.putObject({ bucket, key, body });
  const seen: string[] = [];
  const send: typeof fetch = async (...given) => {
    seen.push('sent');
    const response = await fetch(...given);
    const { headers, status } = response;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const broken = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.error(new TypeError('broken'));
        else controller.enqueue(value);
      },
    });
    return new Response(broken, { headers, status });
  };
  const download = await client({ fetch: send }).download({ bucket, key });
  t.is(crc32(await download.bytes()), crc32(body));
  t.is(seen.length, 1);
});

test('a download is always of a whole object', async (t) => {
  const { storage, client } = await open(t);
  await storage.putObject({ bucket, key, body });
  const ranged = { bucket, key, range: 'bytes=0-9' };
  await t.throwsAsync(client().download(ranged), { message: /has no option range/ });
});

test('a download continues where the connection broke', async (t) => {
  const { storage, client } = await open(t);
  await storage.putObject({ bucket, key, body });
  const seen: string[] = [];
  const progress: number[] = [];
  const onProgress = ({ loaded, total }: { loaded: number; total: number }) => {
    t.is(total, body.length);
    progress.push(loaded);
  };
  const download = await client({ fetch: cutting(1_000_000, 2, seen) }).download({
    bucket,
    key,
    onProgress,
  });
  t.is(crc32(await download.bytes()), crc32(body));
  t.is(seen.length, 3);
  t.true(seen.slice(1).every((range) => /^bytes=\d+-$/.test(range)));
  t.is(progress.at(-1), body.length);
  await storage.putObject({ bucket, key: 'empty', body: '' });
  t.is(await (await client().download({ bucket, key: 'empty' })).text(), '');
});

test('a download of an object that is replaced meanwhile fails with a clear message', async (t) => {
  const { storage, client } = await open(t);
  await storage.putObject({ bucket, key, body });
  const download = await client({ fetch: cutting(1_000_000, 1) }).download({ bucket, key });
  await storage.putObject({ bucket, key, body: bytesOf(3_000_000) });
  const error = await t.throwsAsync<StorageError>(download.bytes());
  t.is(error?.code, 'PreconditionFailed');
  t.regex(error?.message ?? '', /replaced/);
});

test('a download that differs from the stored data fails', async (t) => {
  const { storage, client } = await open(t);
  await storage.putObject({ bucket, key, body });
  const flip: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    const bytes = new Uint8Array(await response.arrayBuffer());
    bytes[7] = (bytes[7] as number) ^ 1;
    return new Response(bytes, { headers: response.headers });
  };
  const download = await client({ fetch: flip }).download({ bucket, key });
  t.is((await t.throwsAsync<StorageError>(download.bytes()))?.code, 'ChecksumMismatch');
});

test('a download fails with the error of its onProgress', async (t) => {
  const { storage, client } = await open(t);
  const path = join(await directoryOf(t), 'file');
  await writeFile(path, 'old');
  await storage.putObject({ bucket, key, body });
  for (const at of [1, 3]) {
    const once = () => {
      let calls = 0;
      return () => {
        if (++calls === at) throw new Error('There is no progress bar.');
      };
    };
    const download = await client().download({ bucket, key, onProgress: once() });
    await t.throwsAsync(download.bytes(), { message: 'There is no progress bar.' });
    const toFile = client().downloadFile({ bucket, key, path, onProgress: once() });
    await t.throwsAsync(toFile, { message: 'There is no progress bar.' });
    t.is(await readFile(path, 'utf8'), 'old');
  }
  await client().downloadFile({ bucket, key, path });
  t.is(crc32(await readFile(path)), crc32(body));
});

/** A fetch whose responses have 1 MB at once, and the rest when it is released. */
function pausing() {
  const bodies = { begun: 0, ended: 0 };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fetchSlowly: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    const { headers, status } = response;
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    bodies.begun++;
    let passed = 0;
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (passed > 1_000_000) await released;
        const { done, value } = await reader.read();
        if (done) return controller.close();
        passed += value.length;
        controller.enqueue(value);
      },
      cancel(reason) {
        bodies.ended++;
        return reader.cancel(reason);
      },
    });
    return new Response(slow, { headers, status });
  };
  return { bodies, release, fetch: fetchSlowly };
}

test('a cancelled download ends its request and makes no others', async (t) => {
  const setting = await open(t);
  await setting.storage.putObject({ bucket, key, body });
  const isCancelled = { message: 'enough' };
  const ways: Record<string, (body: ReadableStream<Uint8Array>) => Promise<unknown>> = {
    'a reader that waits': async (stream) => {
      const reader = stream.getReader();
      let received = 0;
      while (received < 1_000_000) received += (await reader.read()).value?.length ?? 0;
      const waiting = reader.read();
      await setTimeout(20);
      await reader.cancel('enough');
      t.true((await waiting).done);
    },
    'a loop that ends': async (stream) => {
      for await (const _ of stream as unknown as AsyncIterable<Uint8Array>) break;
    },
    'a target that fails': (stream) => {
      const target = new Writable({
        highWaterMark: 1,
        write: (_chunk, _encoding, done) => done(new Error('enough')),
      });
      return t.throwsAsync(pipeline(Readable.fromWeb(stream as never), target), isCancelled);
    },
  };
  for (const [name, cancel] of Object.entries(ways)) {
    const slow = pausing();
    setting.sent.length = 0;
    const client = setting.client({ fetch: slow.fetch });
    await cancel((await client.download({ bucket, key })).body);
    slow.release();
    await setTimeout(100);
    t.deepEqual(setting.sent, ['GET /storage/bucket/large'], name);
    t.deepEqual(slow.bodies, { begun: 1, ended: 1 }, name);
  }
});

test('a download that is cancelled while it continues elsewhere ends that request, too', async (t) => {
  const setting = await open(t);
  await setting.storage.putObject({ bucket, key, body });
  const cut = cutting(1_000_000, 1);
  let isCut = false;
  let ended = 0;
  let arrived = () => {};
  let answer = () => {};
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = setting.client({
    fetch: async (...given) => {
      if (!isCut) {
        isCut = true;
        return cut(...given);
      }
      arrived();
      await mayAnswer;
      const response = await fetch(...given);
      const { headers, status } = response;
      const cancel = () => {
        ended++;
      };
      return new Response(new ReadableStream({ cancel }), { headers, status });
    },
  });
  const reader = (await client.download({ bucket, key })).body.getReader();
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  await hasArrived;
  await reader.cancel();
  answer();
  await reading;
  await until(() => ended === 1);
  t.is(setting.sent.length, 2);
});

test('a download to a file continues at a second start, and replaces the file at its end', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await writeFile(path, 'old');
  await storage.putObject({ bucket, key, body });
  await t.throwsAsync(client().downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  const [part = '', ...others] = await readdir(directory);
  t.true(isPartialName(part));
  t.deepEqual(others, ['file']);
  t.is(await readFile(path, 'utf8'), 'old');
  const seen: string[] = [];
  await client({ fetch: cutting(Infinity, 0, seen) }).downloadFile({ bucket, key, path });
  t.regex(seen[0] ?? '', /^bytes=[1-9]\d*-$/);
  t.is(crc32(await readFile(path)), crc32(body));
  t.deepEqual(await readdir(directory), ['file']);

  // The received data is damaged. The checksum shows it, and the download starts again.
  await writeFile(join(directory, part), bytesOf(1000));
  const damaged = client().downloadFile({ bucket, key, path });
  t.is((await t.throwsAsync<StorageError>(damaged))?.code, 'ChecksumMismatch');
  await client().downloadFile({ bucket, key, path });
  t.is(crc32(await readFile(path)), crc32(body));
});

test('a download continues through a proxy that asks for whole objects', async (t) => {
  const { storage, client } = await open(t);
  const path = join(await directoryOf(t), 'file');
  await storage.putObject({ bucket, key, body });
  // nginx does so for its cache. It leaves out the conditions, too.
  const behindProxy = (send: typeof fetch) => {
    const proxy: typeof fetch = (url, { headers: given, ...init } = {}) => {
      const headers = new Headers(given);
      for (const name of ['range', 'if-match']) headers.delete(name);
      return send(url, { ...init, headers });
    };
    return client({ fetch: proxy });
  };
  const seen: string[] = [];
  const behind = behindProxy(cutting(2_000_000, 1, seen));
  const loaded: number[] = [];
  const onProgress = (progress: { loaded: number }) => loaded.push(progress.loaded);
  const received = await behind.download({ bucket, key, onProgress });
  t.is(crc32(await received.bytes()), crc32(body));
  t.deepEqual(
    loaded,
    [...new Set(loaded)].sort((a, b) => a - b),
  );
  t.is(loaded.at(-1), body.length);
  await t.throwsAsync(behind.downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  await behind.downloadFile({ bucket, key, path });
  t.is(crc32(await readFile(path)), crc32(body));
  t.is(seen.length, 4);

  const replacing = await behindProxy(cutting(1_000_000, 1)).download({ bucket, key });
  await storage.putObject({ bucket, key, body: bytesOf(3_000_000) });
  const error = await t.throwsAsync<StorageError>(replacing.bytes());
  t.regex(error?.message ?? '', /replaced/);
});

test('another file in place of the partial file is not taken for the download', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await storage.putObject({ bucket, key, body });
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded < body.length) return;
    const [part = ''] = readdirSync(directory);
    writeFileSync(`${path}2`, 'wrong');
    renameSync(`${path}2`, join(directory, part));
  };
  const replaced = client().downloadFile({ bucket, key, path, onProgress });
  await t.throwsAsync(replaced, { message: /was replaced during the download of .* again/ });
  t.false(existsSync(path));
  const reserved = join(directory, `${PARTIAL_PREFIX.toUpperCase()}1`);
  await t.throwsAsync(client().downloadFile({ bucket, key, path: reserved }), {
    message: /reserved for incomplete downloads/,
  });
});

test('calls that download the same file at the same time do not disturb each other', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'x'.repeat(255));
  await storage.putObject({ bucket, key, body });
  let second: Promise<unknown> | undefined;
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded < 1_000_000) return;
    second ??= t.throwsAsync(client().downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  };
  await client().downloadFile({ bucket, key, path, onProgress });
  await second;
  t.is(crc32(await readFile(path)), crc32(body));
  await Promise.all([1, 2].map(() => client().downloadFile({ bucket, key, path })));
  t.is(crc32(await readFile(path)), crc32(body));
  t.is((await readdir(directory)).length, 1);
});

/** Downloads the object `large` to a file, and ends without a trace after a third of the data. */
const CRASH = `
  import { createClient } from '@bucketware/client/node';
  const [endpoint, path] = process.argv.slice(1);
  const client = createClient({ endpoint, headers: { authorization: 'Bearer alice' } });
  const onProgress = ({ loaded }) => loaded > 1_000_000 && process.kill(process.pid, 'SIGKILL');
  await client.downloadFile({ bucket: 'bucket', key: 'large', path, onProgress });`;

test('a download continues after a crash of its process', async (t) => {
  const { storage, client, endpoint } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await storage.putObject({ bucket, key, body });
  const args = ['--input-type=module', '--eval', CRASH, endpoint, path];
  const crashing = spawn(process.execPath, args, { cwd: import.meta.dirname });
  const [, signal] = await once(crashing, 'exit');
  t.is(signal, 'SIGKILL');
  t.true((await readdir(directory)).every(isPartialName));
  const seen: string[] = [];
  await client({ fetch: cutting(Infinity, 0, seen) }).downloadFile({ bucket, key, path });
  t.regex(seen[0] ?? '', /^bytes=[1-9]\d*-$/);
  t.is(crc32(await readFile(path)), crc32(body));
  t.deepEqual(await readdir(directory), ['file']);
});

test('many calls that download one file, some of them stopped, complete it', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  const small = body.subarray(0, 300_000);
  await storage.putObject({ bucket, key: 'raw', body: small });
  await storage.putObject({ bucket, key: 'gzip', body: gzipSync(small), contentEncoding: 'gzip' });
  for (const name of ['raw', 'gzip']) {
    const one = async (at: number) => {
      const controller = new AbortController();
      const onProgress = () => at % 3 === 2 && controller.abort(new Error(STOPPED.message));
      const { signal } = controller;
      const call = client().downloadFile({ bucket, key: name, path, signal, onProgress });
      await (at % 3 === 2 ? call.catch((error) => t.is(error.message, STOPPED.message)) : call);
      if (at % 3 !== 2) t.is(crc32(await readFile(path)), crc32(small));
    };
    // Each of these lines of calls is at another point of its own download.
    const line = async (start: number) => {
      for (let at = start; at < start + 12; at++) await one(at);
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(line));
    t.is(crc32(await readFile(path)), crc32(small));
  }
});

test('a file that another user could change is not used for a download', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await storage.putObject({ bucket, key, body });
  await t.throwsAsync(client().downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  const [name = ''] = await readdir(directory);
  const part = join(directory, name);
  const fresh = async (what: string) => {
    const seen: string[] = [];
    await client({ fetch: cutting(Infinity, 0, seen) }).downloadFile({ bucket, key, path });
    t.deepEqual(seen, ['whole'], what);
    t.is(crc32(await readFile(path)), crc32(body));
    await rm(part);
  };
  await rename(part, `${path}2`);
  execFileSync('mkfifo', [part]);
  await fresh('a FIFO');
  await writeFile(part, body.subarray(0, 1000));
  await chmod(part, 0o666);
  await fresh('a file that everybody can write to');
  await link(`${path}2`, part);
  await fresh('a file with another name');
  if (process.getuid?.() !== 0) return t.log('Only root can create a file of another user.');
  await writeFile(part, body.subarray(0, 1000));
  await chown(part, 65534, 65534);
  await fresh('a file of another user');
});

test('a download keeps the permissions of the file that it replaces', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await storage.putObject({ bucket, key, body });
  await writeFile(path, 'old', { mode: 0o600 });
  await t.throwsAsync(client().downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  for (const name of await readdir(directory)) {
    t.is((await stat(join(directory, name))).mode & 0o777, 0o600);
  }
  await chmod(path, 0o640);
  await client().downloadFile({ bucket, key, path });
  t.is((await stat(path)).mode & 0o777, 0o640);
});

test('a download of encoded data starts anew', async (t) => {
  const { storage, client } = await open(t);
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await storage.putObject({ bucket, key, body: gzipSync(body), contentEncoding: 'gzip' });
  await t.throwsAsync(client().downloadFile({ bucket, key, path, ...stopped() }), STOPPED);
  await client().downloadFile({ bucket, key, path });
  t.is(crc32(await readFile(path)), crc32(body));
  t.deepEqual(await readdir(directory), ['file']);
});

test('data is appended exactly once, even concurrently and if a response is lost', async (t) => {
  const { storage, client } = await open(t);
  const name = { bucket, key: 'log' };
  await client().append({ ...name, body: '', contentType: 'text/plain' });
  const words = Array.from({ length: 12 }, (_, at) => `word${at};`);
  await Promise.all(words.map((word) => client().append({ ...name, body: word })));
  const text = async () => (await storage.getObject(name)).text();
  t.deepEqual(
    (await text()).split(';').sort(),
    ['', ...words.map((word) => word.slice(0, -1))].sort(),
  );
  t.is((await storage.getObjectMeta(name)).contentType, 'text/plain');
  const before = await text();
  let lost = 0;
  const losing: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    if ((given[1] as RequestInit).method === 'POST' && lost++ === 0) throw new TypeError('lost');
    return response;
  };
  const appended = await client({ fetch: losing }).append({ ...name, body: 'once;' });
  t.is(await text(), `${before}once;`);
  t.is(appended.nextAppendOffset, before.length + 5);
});

test('data is appended once if the browser repeats a request by itself', async (t) => {
  const { storage, client } = await open(t);
  const name = { bucket, key: 'log' };
  // As Chromium does when a reused connection closes without a response.
  const repeating: typeof fetch = async (...given) => {
    if ((given[1] as RequestInit).method === 'POST') await (await fetch(...given)).arrayBuffer();
    return fetch(...given);
  };
  const repeated = client({ fetch: repeating });
  for (const body of ['one;', 'two;', 'two;']) await repeated.append({ ...name, body });
  t.is(await (await storage.getObject(name)).text(), 'one;two;two;');
});

test('concurrent clients create a log together', async (t) => {
  const { storage, client } = await open(t);
  const words = Array.from({ length: 8 }, (_, at) => `word${at};`);
  for (const key of ['a', 'b', 'c', 'd']) {
    await Promise.all(words.map((body) => client().append({ bucket, key, body })));
    const text = await (await storage.getObject({ bucket, key })).text();
    t.deepEqual(text.split(';').sort(), ['', ...words.map((word) => word.slice(0, -1))].sort());
  }
});

test('data is appended once if the browser repeats a request after another append', async (t) => {
  const { storage, client } = await open(t);
  const name = { bucket, key: 'log' };
  const repeating: typeof fetch = async (...given) => {
    if ((given[1] as RequestInit).method === 'POST') {
      await (await fetch(...given)).arrayBuffer();
      await client().append({ ...name, body: 'other;' });
    }
    return fetch(...given);
  };
  const repeated = client({ fetch: repeating });
  for (const body of ['one;', 'two;']) await repeated.append({ ...name, body });
  t.is(await (await storage.getObject(name)).text(), 'one;other;two;other;');
});

test('an append whose response is lost is not made again in another object', async (t) => {
  const { storage, client } = await open(t);
  const text = async (key: string) => (await storage.getObject({ bucket, key })).text();
  /** The response of an append is lost, and the log is rotated before the client looks at it. */
  const rotating = (key: string, rotate: () => Promise<unknown>): typeof fetch => {
    let isDone = false;
    return async (...given) => {
      const response = await fetch(...given);
      if (isDone || (given[1] as RequestInit).method !== 'POST') return response;
      isDone = true;
      await storage.renameObject({ bucket, key: `${key}.1`, from: key });
      await rotate();
      throw new TypeError('lost');
    };
  };
  const rotations = {
    gone: async () => {},
    same: () => client().append({ bucket, key: 'same', body: 'line2;' }),
    longer: () => client().append({ bucket, key: 'longer', body: 'line2; line3;' }),
  };
  for (const [key, rotate] of Object.entries(rotations)) {
    for (const before of key === 'gone' ? [undefined, 'line1;'] : ['line1;']) {
      await storage.deleteObject({ bucket, key: `${key}.1` }).catch(() => {});
      if (before) await client().append({ bucket, key, body: before });
      const own = client({ fetch: rotating(key, rotate) }).append({ bucket, key, body: 'MINE;' });
      t.is((await t.throwsAsync<StorageError>(own))?.code, 'NetworkError');
      t.is(await text(`${key}.1`), `${before ?? ''}MINE;`);
      if (key === 'gone') await t.throwsAsync(text(key));
      else t.notRegex(await text(key), /MINE/);
    }
  }
});

test('an append to a log that was just rotated begins the next log', async (t) => {
  const { storage, client } = await open(t);
  const text = async (key: string) => (await storage.getObject({ bucket, key })).text();
  await client().append({ bucket, key: 'log', body: 'line1;' });
  let isDone = false;
  const rotating: typeof fetch = async (...given) => {
    if (!isDone && (given[1] as RequestInit).method === 'POST') {
      isDone = true;
      await storage.renameObject({ bucket, key: 'log.1', from: 'log' });
    }
    return fetch(...given);
  };
  await client({ fetch: rotating }).append({ bucket, key: 'log', body: 'line2;' });
  t.is(await text('log.1'), 'line1;');
  t.is(await text('log'), 'line2;');
});

test('data is appended once if a request takes effect after its client has given up', async (t) => {
  const { storage, client } = await open(t);
  const name = { bucket, key: 'log' };
  const late = (body: string): typeof fetch => {
    let first: Parameters<typeof fetch> | undefined;
    let isOver = false;
    return async (...given) => {
      if (isOver || (given[1] as RequestInit).method !== 'POST') return fetch(...given);
      if (first === undefined) {
        first = given;
        throw new TypeError('timeout');
      }
      isOver = true;
      if (body === '') await fetch(...first);
      else await client().append({ ...name, body });
      return fetch(...given);
    };
  };
  await client().append({ ...name, body: 'start;' });
  const { nextAppendOffset } = await client({ fetch: late('') }).append({ ...name, body: 'own;' });
  t.is(nextAppendOffset, 10);
  // Another client comes first, so the outcome is unknown.
  const unknown = client({ fetch: late('other;') }).append({ ...name, body: 'own;' });
  t.is((await t.throwsAsync<StorageError>(unknown))?.code, 'NetworkError');
  t.is(await (await storage.getObject(name)).text(), 'start;own;other;');
});
