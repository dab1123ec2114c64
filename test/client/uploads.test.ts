import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StorageError, Upload } from '@bucketware/client';
import { createClient, fileBody, uploadRegister } from '@bucketware/client/node';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { startExample } from '../http/example-app.js';
import { bucket, bytesOf, MIB, open } from './fixtures.js';

const key = 'large';
const partSize = 256 * 1024;
const body = bytesOf(10 * partSize + 17);
const large = { bucket, key, body, partSize };

const stored = async ({ storage }: Awaited<ReturnType<typeof open>>, of = key) =>
  (await storage.getObject({ bucket, key: of })).bytes();

const unfinished = async ({ storage }: Awaited<ReturnType<typeof open>>) =>
  (await storage.listMultipartUploads({ bucket })).uploads.length;

const partsIn = (sent: readonly string[]) =>
  sent.filter((line) => line.includes('partNumber=')).length;

test('a large body is sent in parts, a small one in one piece, each with progress', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const seen: number[] = [];
  const onProgress = ({ loaded, total }: { loaded: number; total: number | undefined }) => {
    t.is(total, body.length);
    seen.push(loaded);
  };
  const metadata = { a: '1' };
  const uploaded = await client.upload({ ...large, contentType: 'x/y', metadata, onProgress });
  t.deepEqual([uploaded.size, uploaded.contentCrc32], [body.length, crc32(body)]);
  t.is(uploaded.resumed, 0);
  t.deepEqual(
    [...seen].sort((a, b) => a - b),
    seen,
  );
  t.is(seen.at(-1), body.length);
  t.true((await stored(setting)).equals(body));
  t.like(await client.getObjectMeta({ bucket, key }), {
    contentType: 'x/y',
    metadata,
    etag: uploaded.etag,
  });
  t.is(partsIn(setting.sent), 11);
  const small = await client.upload({
    bucket,
    key: 'small',
    body: new Blob(['Hello.'], { type: 'text/css' }),
  });
  t.like(await client.getObjectMeta({ bucket, key: 'small' }), {
    contentType: 'text/css',
    etag: small.etag,
  });
  t.is((await client.upload({ bucket, key: 'empty', body: '' })).size, 0);
  const begun = await client.initiateMultipartUpload({ bucket, key: 'begun' });
  t.is((await client.upload({ bucket, key: 'begun', body: '', ...begun })).size, 0);
  t.is((await client.getObjectMeta({ bucket, key: 'begun' })).size, 0);
  for (const concurrency of [0, -1, 1.5, NaN, Infinity]) {
    await t.throwsAsync(async () => client.upload({ ...large, concurrency }), {
      instanceOf: RangeError,
      message: /concurrency/,
    });
  }
  await t.throwsAsync(async () => client.upload({ ...large, partSize: 1 }), {
    instanceOf: RangeError,
  });
});

test('streams of any kind and length can be uploaded', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  async function* chunks(size: number) {
    for (let at = 0; at < size; at += 70_001) yield body.subarray(at, Math.min(at + 70_001, size));
  }
  for (const size of [0, 10, partSize, partSize + 1, 3 * partSize, 3 * partSize + 5]) {
    const iterable = await client.upload({ ...large, body: chunks(size) });
    t.is(iterable.size, size);
    t.true((await stored(setting)).equals(body.subarray(0, size)), `${size}`);
    const stream = new Blob([body.subarray(0, size)]).stream();
    await client.upload({ ...large, key: 'web', body: stream });
    t.true((await stored(setting, 'web')).equals(body.subarray(0, size)), `${size}`);
  }
  async function* breaks() {
    yield body.subarray(0, partSize + 1);
    throw new Error('the stream broke');
  }
  await t.throwsAsync(client.upload({ ...large, body: breaks() }), { message: 'the stream broke' });
});

test('a second start sends only missing data, and rejects a file that has changed', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const first = new AbortController();
  const interrupt = ({ loaded }: { loaded: number }) => {
    if (loaded >= 5 * partSize) first.abort(new Error('Ctrl-C'));
  };
  const given = { ...large, concurrency: 1, onProgress: interrupt };
  await t.throwsAsync(client.upload({ ...given, signal: first.signal }), { message: 'Ctrl-C' });
  t.is(await unfinished(setting), 1);
  setting.sent.length = 0;
  const resumed = await client.upload(large);
  t.is(resumed.resumed, 5 * partSize);
  t.is(partsIn(setting.sent), 6);
  t.true((await stored(setting)).equals(body));
  t.is(await unfinished(setting), 0);

  const again = new AbortController();
  const stop = ({ loaded }: { loaded: number }) => {
    if (loaded >= 5 * partSize) again.abort(new Error('Ctrl-C'));
  };
  await t.throwsAsync(client.upload({ ...given, onProgress: stop, signal: again.signal }));
  const changed = body.slice();
  changed[partSize + 1] = (changed[partSize + 1] as number) ^ 1;
  const repaired = await client.upload({ ...large, body: changed });
  t.is(repaired.resumed, 4 * partSize); // All but the part that differs.
  t.true((await stored(setting)).equals(changed));
});

test('only an upload of the same client and user with the same properties is continued', async (t) => {
  const setting = await open(t);
  const { storage } = setting;
  const everybody = [{ grantee: [{ id: '*' }], permission: ['READ', 'WRITE', 'LIST'] as const }];
  const directory = await directoryOf(t);
  const file = join(directory, 'deep', 'uploads.json');
  let user = 'alice';
  const client = () =>
    setting.client({
      headers: () => ({ authorization: `Bearer ${user}` }),
      uploadRegister: uploadRegister(file),
    });
  await client().putBucketAcl({ bucket, accessControlList: everybody });
  const stop = async (given: object) => {
    const control = new AbortController();
    const onProgress = ({ loaded }: { loaded: number }) => {
      if (loaded >= 3 * partSize) control.abort(new Error('Ctrl-C'));
    };
    const one = { ...large, ...given, concurrency: 1, onProgress, signal: control.signal };
    await t.throwsAsync(client().upload(one), { message: 'Ctrl-C' });
  };
  const secret = { acl: 'private', metadata: { a: '1', b: '2' }, contentType: 'a/b' } as const;
  user = 'bob';
  const sameForAll = { metadata: { a: '1' } };
  await stop(sameForAll);
  user = 'alice';
  t.is((await client().upload({ ...large, ...sameForAll })).resumed, 0, 'of another user');
  for (const other of [
    {},
    { ...secret, acl: undefined },
    { ...secret, acl: 'public-read' },
    { ...secret, contentType: 'text/html' },
    { ...secret, contentDisposition: 'attachment' },
    { ...secret, metadata: { a: '1' } },
    { ...secret, grantRead: [{ id: 'u-bob' }] },
  ]) {
    await stop(other);
  }
  const uploaded = await client().upload({ ...large, ...secret });
  t.is(uploaded.resumed, 0);
  const { contentType, contentDisposition, metadata } = await storage.getObjectMeta({
    bucket,
    key,
  });
  t.deepEqual(
    [contentType, contentDisposition, metadata],
    ['a/b', undefined, { ...secret.metadata }],
  );
  user = 'bob';
  await t.throwsAsync(client().getObject({ bucket, key }), { code: 'AccessDenied' });

  user = 'alice';
  await stop(secret);
  const again = { ...secret, metadata: { b: '2', a: '1' } };
  t.is((await client().upload({ ...large, ...again })).resumed, 3 * partSize);
  user = 'bob';
  await t.throwsAsync(client().getObject({ bucket, key }), { code: 'AccessDenied' });
  user = 'alice';
  await stop(secret);
  const otherClient = setting.client();
  t.is((await otherClient.upload({ ...large, ...secret })).resumed, 0, 'a client of its own');
});

test('an upload pauses, resumes and aborts', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const upload: Upload = client.upload({
    ...large,
    concurrency: 2,
    onProgress: ({ loaded }) => {
      if (loaded >= 4 * partSize) pauseOnce();
    },
  });
  let paused: (() => void) | undefined;
  const hasPaused = new Promise<void>((resolve) => {
    paused = resolve;
  });
  const pauseOnce = () => {
    if (paused === undefined) return;
    upload.pause();
    paused();
    paused = undefined;
  };
  await hasPaused;
  await sleep(200); // Long enough to send all parts.
  t.is(upload.state, 'paused');
  t.true(partsIn(setting.sent) < 11);
  upload.resume();
  await upload;
  t.is(upload.state, 'done');
  t.true((await stored(setting)).equals(body));

  let aborted: Promise<void> | undefined;
  const other = client.upload({
    ...large,
    key: 'other',
    onProgress: () => {
      aborted ??= other.abort();
    },
  });
  await t.throwsAsync(other, { name: 'AbortError', any: true });
  await aborted;
  await other.abort();
  t.deepEqual([other.state, await unfinished(setting)], ['aborted', 0]);

  const waiting = client.upload({ ...large, key: 'waiting' });
  waiting.pause();
  await waiting.abort();
  await t.throwsAsync(waiting, { name: 'AbortError', any: true });
  t.is(waiting.state, 'aborted');
});

test('one signal can end many uploads, and keeps no reference to ended ones', async (t) => {
  const { client } = await open(t);
  const { signal } = new AbortController();
  const added = countListeners(signal);
  for (let count = 0; count < 12; count++) {
    await client().upload({ bucket, key: 'small', body: `${count}`, signal });
    await client().getObjectMeta({ bucket, key: 'small', signal });
  }
  t.is(added(), 0);
});

/** How many listeners of a signal were added and not removed. */
function countListeners(signal: AbortSignal): () => number {
  let count = 0;
  const { addEventListener: add, removeEventListener: remove } = signal;
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    count++;
    add.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    count--;
    remove.apply(signal, given);
  };
  return () => count;
}

test('a server that is killed and restarted during an upload loses nothing', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'client-'));
  let app = await startExample('koa-app', directory);
  const { port } = new URL(app.origin);
  t.teardown(async () => {
    await app.stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });
  const headers = { authorization: 'Bearer alice' };
  const retry = { firstDelay: 100, times: 10 };
  const client = createClient({ endpoint: `${app.origin}/storage`, headers, retry });
  await client.putBucket({ bucket });
  let restarted: Promise<void> | undefined;
  const restart = async () => {
    await app.stop('SIGKILL');
    app = await startExample('koa-app', directory, { PORT: port });
  };
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 8 * MIB) restarted ??= restart();
  };
  const path = join(directory, 'file');
  const content = bytesOf(24 * MIB);
  await writeFile(path, content);
  const file = await fileBody(path);
  const uploaded = await client.upload({ bucket, key, body: file, partSize: MIB, onProgress });
  await restarted;
  t.truthy(restarted);
  t.is(uploaded.contentCrc32, crc32(content));
  const target = join(directory, 'copy');
  await client.downloadFile({ bucket, key, path: target });
  t.is(await crcOf(target), crc32(content));
});

async function crcOf(path: string): Promise<number> {
  return crc32(await readFile(path));
}

test('a file that changes during its upload is rejected, and the old object stays', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const directory = await directoryOf(t);
  const path = join(directory, 'file');
  await writeFile(path, body);
  await client.putObject({ bucket, key, body: 'old' });
  const onProgress = () => void utimes(path, 0, 0);
  const upload = client.upload({
    ...large,
    body: await fileBody(path),
    concurrency: 1,
    onProgress,
  });
  const error = await t.throwsAsync<StorageError>(upload);
  t.is(error?.code, 'SourceChanged');
  t.regex(error?.message ?? '', /has changed/);
  t.is((await stored(setting)).toString(), 'old');
  t.is(await unfinished(setting), 0);
});

/** A file as Firefox reads it: after a change, pieces and stream contain the new data. */
class ChangingFile extends File {
  data: Buffer<ArrayBuffer>;
  constructor(data: Buffer<ArrayBuffer>) {
    super([data], 'file');
    this.data = data;
  }
  override slice = (start?: number, end?: number) => new Blob([this.data.subarray(start, end)]);
  override stream = () => {
    const stream = new Blob([this.data]).stream();
    // Firefox iterates over streams only since version 110.
    return Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
  };
}

test.serial('in Firefox, a file that changes during its upload is rejected', async (t) => {
  const inFirefox = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent }, configurable: true });
  t.teardown(() => {
    if (inFirefox === undefined) Reflect.deleteProperty(globalThis, 'navigator');
    else Object.defineProperty(globalThis, 'navigator', inFirefox);
  });
  const setting = await open(t);
  const client = setting.client();
  await client.putObject({ bucket, key, body: 'old' });
  const file = new ChangingFile(Buffer.from(body));
  const changed = Buffer.from(body);
  changed[0] = (changed[0] as number) ^ 1;
  const upload = client.upload({ ...large, body: file, concurrency: 1, onProgress });
  function onProgress({ loaded }: { loaded: number }) {
    if (loaded > 2 * partSize) file.data = changed;
  }
  t.is((await t.throwsAsync<StorageError>(upload))?.code, 'SourceChanged');
  t.is((await stored(setting)).toString(), 'old');
  t.is(await unfinished(setting), 0);
  t.is((await client.upload({ ...large, body: new ChangingFile(changed) })).size, body.length);
  t.true((await stored(setting)).equals(changed));
  // In one request, the end of a file that has grown would be missing.
  const grown = new ChangingFile(Buffer.from('one line'));
  grown.data = Buffer.from('one line and another');
  const small = client.upload({ bucket, key, body: grown });
  t.is((await t.throwsAsync<StorageError>(small))?.code, 'SourceChanged');
  t.is((await stored(setting)).length, body.length);
});

test('a file that has more data than its size is rejected', async (t) => {
  if (process.platform !== 'linux') {
    t.log('SKIPPED: only Linux has files of this kind.');
    return t.pass();
  }
  const setting = await open(t);
  const body = await fileBody('/proc/version');
  t.is(body.size, 0);
  const error = await t.throwsAsync<StorageError>(setting.client().upload({ bucket, key, body }));
  t.is(error?.code, 'SourceChanged');
  t.regex(error?.message ?? '', /has more data than its size of 0 bytes. Upload it as a stream/);
  await t.throwsAsync(setting.client().getObjectMeta({ bucket, key }), { code: 'NotFound' });
});

test('after a piece that cannot be read, nothing more is sent', async (t) => {
  const setting = await open(t);
  const read = async (start: number, end: number) => {
    if (start === partSize) throw new Error('The disk is gone.');
    return body.slice(start, end);
  };
  const upload = setting.client().upload({ ...large, body: { size: body.length, read } });
  const error = await t.throwsAsync<StorageError>(upload);
  t.is(error?.code, 'SourceChanged');
  await sleep(200); // Long enough to send all parts.
  t.true(partsIn(setting.sent) < 8);
  t.is(await unfinished(setting), 0);
});

test('the end of a session during an upload is reported, and the upload continues after the login', async (t) => {
  const setting = await open(t);
  let token = 'alice';
  const headers = () => ({ authorization: `Bearer ${token}` });
  const client = setting.client({ headers });
  const reported: string[] = [];
  const end = ({ loaded }: { loaded: number }) => {
    if (loaded >= 3 * partSize && reported.length === 0) token = 'nobody';
  };
  const upload: Upload = client.upload({
    ...large,
    onProgress: end,
    onInterruption: ({ code, status }) => {
      reported.push(`${code} ${status}`);
      token = 'alice';
      upload.resume();
    },
  });
  await upload;
  t.deepEqual(reported, ['AccessDenied 403']);
  t.true((await stored(setting)).equals(body));

  const without = client.upload({ ...large, key: 'second', onProgress: endAgain });
  let ended = false;
  function endAgain({ loaded }: { loaded: number }) {
    if (loaded >= 3 * partSize && !ended) {
      ended = true;
      token = 'nobody';
    }
  }
  const error = await t.throwsAsync<StorageError>(without);
  t.regex(error?.message ?? '', /start the same upload again/);
  token = 'alice';
  t.true((await client.upload({ ...large, key: 'second' })).resumed >= 3 * partSize);
});

test('a full disk is reported, and the upload continues when there is space', async (t) => {
  const blobs = memoryBlobs();
  const write = blobs.write.bind(blobs);
  let isFull = false;
  blobs.write = async (...given) => {
    if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return write(...given);
  };
  const storage = await createObjectStorage({
    metadata: memoryMetadata(),
    inlineLimit: 0,
    blobs,
  });
  const setting = await open(t, { storage });
  const codes: string[] = [];
  const upload: Upload = setting.client({ retry: false }).upload({
    ...large,
    onProgress: ({ loaded }) => {
      if (loaded > 3 * partSize && codes.length === 0) isFull = true;
    },
    onInterruption: ({ code }) => {
      codes.push(code);
      isFull = false;
      upload.resume();
    },
  });
  await upload;
  t.deepEqual(codes, ['InsufficientStorage']);
  t.true((await stored(setting)).equals(body));
});

test('an upload that others have ended or changed fails with a clear message', async (t) => {
  const setting = await open(t);
  const client = setting.client();
  const spoil = (
    change: (uploadId: string) => Promise<unknown>,
  ): ReturnType<typeof client.upload> => {
    let isChanged = false;
    const upload = client.upload({
      ...{ ...large, concurrency: 1 },
      onProgress: ({ loaded }) => {
        if (isChanged || loaded <= 2 * partSize || upload.uploadId === undefined) return;
        isChanged = true;
        void change(upload.uploadId);
      },
    });
    return upload;
  };
  const ended = spoil((uploadId) =>
    setting.storage.abortMultipartUpload({ bucket, key, uploadId }),
  );
  const gone = await t.throwsAsync<StorageError>(ended);
  t.is(gone?.code, 'NoSuchUpload');
  t.regex(gone?.message ?? '', /ended elsewhere/);
  const replace = { bucket, key, partNumber: 1, body: bytesOf(partSize) };
  const replaced = spoil((uploadId) => setting.storage.uploadPart({ ...replace, uploadId }));
  t.is((await t.throwsAsync<StorageError>(replaced))?.code, 'InvalidPart');
});

test('two clients that send the same data to the same key never mix it', async (t) => {
  const setting = await open(t);
  const both = await Promise.allSettled([1, 2].map(() => setting.client().upload(large)));
  // One of them may continue the upload of the other, which ends the other one.
  const failed = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  t.true(failed.length < 2 && failed.every((code) => code === 'NoSuchUpload'), failed.join());
  t.true((await stored(setting)).equals(body));
});
