import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { alice, listen, onKoa, onNode } from './servers.js';
import { delegate } from './soundness.js';

const bucket = 'copies';
const MB = 1024 * 1024;

/** A storage with an object of 2 MB to copy. The test can delay its reads. */
async function held(t: ExecutionContext) {
  const inner = memoryBlobs();
  const reads = { running: 0, most: 0, begun: 0, chunks: 0 };
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const blobs = Object.assign(delegate(inner), {
    read: async (id: string, range: { start: number; end: number }) => {
      reads.begun++;
      reads.running++;
      reads.most = Math.max(reads.most, reads.running);
      await gate;
      reads.running--;
      const stream = await inner.read(id, range);
      return Readable.from(
        (async function* () {
          for await (const chunk of stream) {
            reads.chunks++;
            yield chunk;
          }
        })(),
        { objectMode: false, highWaterMark: 0 },
      );
    },
  });
  const storage = await createObjectStorage({ metadata: memoryMetadata(), blobs, inlineLimit: 0 });
  t.teardown(() => storage.close());
  const user = storage.as(alice);
  await user.putBucket({ bucket });
  await user.putObject({ bucket, key: 'source', body: randomBytes(2 * MB) });
  const { uploadId } = await user.initiateMultipartUpload({ bucket, key: 'target' });
  const copy = (partNumber: number) => ({
    ...{ bucket, key: 'target', uploadId, partNumber },
    source: { bucket, key: 'source' },
  });
  return { storage, user, uploadId, copy, reads, open, inner };
}

test('four copies of a caller run at a time, others wait, and further ones are rejected', async (t) => {
  const { storage, user, copy, reads, open } = await held(t);
  const numbers = Array.from({ length: 4 + 64 + 3 }, (_, at) => at + 1);
  const outcomes = Promise.allSettled(numbers.map((number) => user.uploadPartCopy(copy(number))));
  await until(() => reads.begun === 4);
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  t.is(reads.begun, 4);
  const own = storage.uploadPartCopy(copy(100)); // The host does not wait for its callers.
  await until(() => reads.begun === 5);
  open();
  await own;
  const failed = (await outcomes).filter(({ status }) => status === 'rejected');
  t.is(reads.most, 5);
  t.is(failed.length, 3);
  for (const outcome of failed as PromiseRejectedResult[]) {
    t.like(outcome.reason, { code: 'ServiceUnavailable', details: { retryAfter: 5 } });
  }
  t.is(
    (await user.listParts({ bucket, key: 'target', uploadId: copy(1).uploadId })).parts.length,
    69,
  );
});

test('a copy ends and creates nothing if its client disconnects', async (t) => {
  const { storage, user, uploadId, copy, reads, open, inner } = await held(t);
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const ask = (path: string) => {
    const headers = { authorization: 'Bearer alice', 'x-svc-copy-source': `/${bucket}/source` };
    return request(`${origin}/${bucket}/${path}`, { method: 'PUT', headers }).on('error', () => {});
  };
  const outgoing = ask(`target?partNumber=1&uploadId=${uploadId}`);
  outgoing.end();
  await until(() => reads.begun === 1);
  const socket = outgoing.socket;
  outgoing.destroy();
  if (socket && !socket.closed) await once(socket, 'close');
  // The server is notified of the disconnect asynchronously.
  for (let turn = 0; turn < 1000; turn++) await setImmediate();
  open();
  await until(() => reads.running === 0);
  for (let turn = 0; turn < 1000; turn++) await setImmediate();
  t.true(reads.chunks <= 3, `${reads.chunks} of 8 chunks were read`);
  const { etag } = await user.uploadPartCopy(copy(2));
  const { parts } = await user.listParts({ bucket, key: 'target', uploadId });
  t.deepEqual(
    parts.map((part) => [part.partNumber, part.etag]),
    [[2, etag]],
  );
  let blobs = 0;
  for await (const _ of inner.list()) blobs++;
  t.is(blobs, 2);
});

test('a long listing and a long batch let other requests run', async (t) => {
  const inner = memoryMetadata();
  // A driver that resolves at once, but uses processor time.
  let slow = false;
  const busy = () => {
    if (!slow) return;
    for (const end = performance.now() + 6; performance.now() < end; );
  };
  const metadata = Object.assign(Object.create(inner), {
    list: (range: Parameters<typeof inner.list>[0]) => {
      if (range.prefix.startsWith('o/')) busy();
      // Like a store that does not skip groups.
      return inner.list({ ...range, delimiter: undefined });
    },
    get: (key: string) => {
      if (key.startsWith('o/')) busy();
      return inner.get(key);
    },
    getMany: inner.getMany.bind(inner),
    commit: inner.commit.bind(inner),
    close: inner.close.bind(inner),
  });
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs() });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  for (let at = 0; at < 20; at++) {
    for (let other = 0; other < 17; other++) {
      await storage.putObject({ bucket, key: `${at}/${other}`, body: 'x' });
    }
  }
  slow = true;
  let turns = 0;
  let runs = true;
  t.teardown(() => {
    runs = false;
  });
  const count = (): void => {
    turns++;
    if (runs) globalThis.setImmediate(count);
  };
  globalThis.setImmediate(count);
  const turnsOf = async (work: () => Promise<unknown>) => {
    const before = turns;
    await work();
    return turns - before;
  };
  t.true((await turnsOf(() => storage.listObjects({ bucket, delimiter: '/' }))) >= 10);

  const checkedTurns = new Set<number>();
  const authorize = ({ key }: { key?: string | undefined }) => {
    if (key !== undefined) checkedTurns.add(turns);
    busy();
    return true;
  };
  const { origin, close } = await listen(onNode(storage, { authorize }));
  t.teardown(close);
  const objects = Array.from({ length: 50 }, (_, at) => ({ key: `absent ${at}` }));
  const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' };
  const body = JSON.stringify({ objects });
  t.is((await fetch(`${origin}/${bucket}?delete`, { method: 'POST', headers, body })).status, 200);
  t.true(checkedTurns.size >= 40);
});
