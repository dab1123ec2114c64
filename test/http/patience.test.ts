import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobStore, createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { carriers } from './carriers.js';
import { alice, listen } from './servers.js';
import { block, delegate } from './soundness.js';

type Share = (really: () => Promise<void>, blobs: BlobStore, id: string) => Promise<void>;

const authorization = 'Bearer alice';
/** More than UploadPartCopy copies without sharing. */
const SOURCE = block('a', 8 * 1024 * 1024 + 1);
const slowly: Share = async (really) => {
  await sleep(150);
  await really();
};

/** Starts servers with a blob store whose `share` is replaced. */
async function serve(carrier: keyof typeof carriers, share: Share) {
  const blobs = memoryBlobs();
  const failures: unknown[] = [];
  const storage = await createObjectStorage({
    blobs: {
      ...delegate(blobs),
      share: (id, as) => share(() => blobs.share(id, as), blobs, id),
    },
    metadata: memoryMetadata(),
    sweepEvery: false,
  });
  const patience = { after: 20, every: 20 };
  const onError = (error: unknown) => failures.push(error);
  const running = await listen(carriers[carrier](storage, { mount: '/s', patience, onError }));
  const call = (method: string, path: string, headers = {}, body?: string | Uint8Array) =>
    fetch(`${running.origin}/s${path}`, {
      method,
      headers: { authorization, ...headers },
      body: body as never,
    });
  await call('PUT', '/bucket');
  await call('PUT', '/bucket/source', {}, SOURCE);
  const { uploadId } = (await (await call('POST', '/bucket/target?uploads')).json()) as {
    uploadId: string;
  };
  const copies = {
    CopyObject: '/bucket/target',
    UploadPartCopy: `/bucket/target?partNumber=1&uploadId=${uploadId}`,
  };
  const copy = (path: string, headers = {}) =>
    call('PUT', path, { 'x-svc-copy-source': '/bucket/source', ...headers });
  const close = async () => {
    await running.close();
    await storage.close();
  };
  return { call, copies, copy, failures, close };
}

/** Checks a response that began before its outcome was known. */
async function begun(t: ExecutionContext, answer: Response) {
  t.is(answer.status, 200);
  t.is(answer.headers.get('transfer-encoding'), 'chunked');
  t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  t.is(answer.headers.get('content-length'), null);
  const text = await answer.text();
  t.regex(text, /^ +\{/);
  return { json: JSON.parse(text), requestId: answer.headers.get('x-svc-request-id') };
}

for (const carrier of ['koa', 'express5', 'express4', 'node'] as const) {
  test(`${carrier}: a long copy responds with 200, in chunks, with spaces and then the JSON`, async (t) => {
    const { copies, copy, call, failures, close } = await serve(carrier, slowly);
    for (const path of Object.values(copies)) {
      const { json } = await begun(t, await copy(path));
      t.is(json.eTag, json.ETag);
      t.regex(json.lastModified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
    const target = await call('GET', '/bucket/target');
    t.true(Buffer.from(await target.arrayBuffer()).equals(SOURCE));
    t.deepEqual(failures, []);
    await close();
  });

  test(`${carrier}: a later failure is the error JSON in the body`, async (t) => {
    const { copies, copy, call, failures, close } = await serve(carrier, async () => {
      await sleep(100);
      throw new Error('The disk is gone.');
    });
    for (const path of Object.values(copies)) {
      const { json, requestId } = await begun(t, await copy(path));
      t.is(json.code, 'InternalError');
      t.true(typeof json.message === 'string' && json.message !== '');
      t.is(json.requestId, requestId);
      t.false(JSON.stringify(json).includes('disk'));
    }
    t.is((await call('GET', '/bucket/target')).status, 404);
    t.deepEqual(failures.map(String), ['Error: The disk is gone.', 'Error: The disk is gone.']);
    await close();
  });

  test(`${carrier}: a source that is deleted while it is copied is NoSuchKey in the body`, async (t) => {
    let vanish = async () => {};
    const { copies, copy, call, failures, close } = await serve(
      carrier,
      async (really, blobs, id) => {
        await sleep(100);
        await vanish();
        await blobs.remove(id);
        await really();
      },
    );
    vanish = async () => {
      await call('DELETE', '/bucket/source');
    };
    for (const path of Object.values(copies)) {
      await call('PUT', '/bucket/source', {}, SOURCE);
      const { json, requestId } = await begun(t, await copy(path));
      t.deepEqual([json.code, json.requestId], ['NoSuchKey', requestId]);
    }
    t.deepEqual(failures, []);
    await close();
  });

  test(`${carrier}: an error before the first byte has its own status`, async (t) => {
    const { copies, copy, close } = await serve(carrier, slowly);
    for (const path of Object.values(copies)) {
      const rows = [
        [{ 'x-svc-copy-source': '/bucket/missing' }, 404, 'NoSuchKey'],
        [{ 'x-svc-copy-source': '/no-bucket/source' }, 404, 'NoSuchBucket'],
        [{ 'x-svc-copy-source-if-match': 'other' }, 412, 'PreconditionFailed'],
        [{ authorization: 'Bearer bob' }, 403, 'AccessDenied'],
        [{ 'x-svc-copy-source': 'nothing' }, 400, 'InvalidArgument'],
      ] as const;
      for (const [headers, status, code] of rows) {
        const answer = await copy(path, headers);
        const { code: found } = (await answer.json()) as { code: string };
        t.deepEqual([answer.status, found], [status, code]);
        t.is(answer.headers.get('transfer-encoding'), null);
      }
    }
    await close();
  });
}

test('a client that disconnects after its response has begun does not stop the copy, and is not an error', async (t) => {
  const { copies, call, failures, close } = await serve('node', slowly);
  const leaving = new AbortController();
  const headers = { 'x-svc-copy-source': '/bucket/source' };
  await t.throwsAsync(async () => {
    const work = call('PUT', copies.CopyObject, headers);
    setTimeout(() => leaving.abort(), 60);
    await (await work).body?.cancel();
    throw new Error('left');
  });
  await sleep(300);
  t.is((await call('GET', '/bucket/target')).status, 200);
  t.deepEqual(failures, []);
  await close();
});

test('a copy whose response begins before its source is read does not stop when the client leaves', async (t) => {
  const metadata = memoryMetadata();
  const read = metadata.getMany.bind(metadata);
  let delay = 0;
  metadata.getMany = async (keys) => {
    await sleep(delay);
    return read(keys);
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), sweepEvery: false });
  const patience = { after: 20, every: 20 };
  const running = await listen(carriers.node(storage, { mount: '/s', patience }));
  const program = storage.as(alice);
  const bucket = 'bucket';
  await program.putBucket({ bucket });
  await program.putObject({ bucket, key: 'source', body: SOURCE });
  const headers = { authorization, 'x-svc-copy-source': '/bucket/source' };
  delay = 150;
  const answer = await fetch(`${running.origin}/s/bucket/target`, { method: 'PUT', headers });
  t.is(answer.status, 200);
  await answer.body?.cancel();
  delay = 0;
  await until(async () => (await program.listObjects({ bucket })).contents.length === 2);
  await running.close();
  await storage.close();
});
