import { once } from 'node:events';
import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  BlobNotShareableError,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { alice, listen, onKoa } from './servers.js';
import { block, delegate } from './soundness.js';

const bucket = 'copies';
const SEGMENTS = 40;

/** A storage with an object of many segments. It shares no blob before the test opens the gate. */
async function held(t: ExecutionContext, shareable: boolean) {
  const [inner, metadata] = [memoryBlobs(), memoryMetadata()];
  const [begun, removed]: [string[], string[]] = [[], []];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const blobs = Object.assign(delegate(inner), {
    async share(id: string, as: string) {
      begun.push(as);
      await gate;
      if (!shareable) throw new BlobNotShareableError(id);
      await inner.share(id, as);
    },
    async remove(id: string) {
      removed.push(id);
      await inner.remove(id);
    },
  });
  const storage = await createObjectStorage({
    ...{ metadata, blobs, sweepEvery: false, inlineLimit: 0, segmentsInRecord: 4 },
    copiesPerPrincipal: 1,
  });
  t.teardown(() => storage.close());
  const user = storage.as(alice);
  await user.putBucket({ bucket });
  const upload = await user.initiateMultipartUpload({ bucket, key: 'source' });
  const parts: { partNumber: number; etag: string }[] = [];
  for (let partNumber = 1; partNumber <= SEGMENTS; partNumber++) {
    const { etag } = await user.uploadPart({ ...upload, partNumber, body: block('x') });
    parts.push({ partNumber, etag });
  }
  await user.completeMultipartUpload({ ...upload, parts });
  return { storage, user, metadata, begun, removed, open };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await setImmediate();
};

for (const shareable of [true, false]) {
  const how = shareable ? 'shared' : 'copied';
  test(`copies of an object of many segments that are ${how} take turns`, async (t) => {
    const { storage, user, begun, open } = await held(t, shareable);
    const source = { bucket, key: 'source' };
    const copies = ['a', 'b', 'c'].map((key) => user.copyObject({ bucket, key, source }));
    await until(() => begun.length === 16);
    await turns(100);
    t.is(begun.length, 16); // As many as one copy shares at the same time.
    open();
    await Promise.all(copies);
    t.is(begun.length, 3 * SEGMENTS);
    const { missing, orphans } = await storage.check();
    t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
  });
}

test('a long copy whose client disconnects removes only what it has shared', async (t) => {
  const { storage, metadata, begun, removed, open } = await held(t, true);
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const headers = { authorization: 'Bearer alice', 'x-svc-copy-source': `/${bucket}/source` };
  const outgoing = request(`${origin}/${bucket}/copy`, { method: 'PUT', headers });
  outgoing.on('error', () => {}).end();
  await until(() => begun.length === 16);
  const { socket } = outgoing;
  outgoing.destroy();
  if (socket && !socket.closed) await once(socket, 'close');
  await turns(1000); // The server is notified of the disconnect asynchronously.
  removed.length = 0;
  open();
  await until(() => removed.length >= begun.length);
  await turns(100);
  t.is(begun.length, 16);
  t.deepEqual(removed.toSorted(), begun.toSorted());
  t.is((await metadata.list({ prefix: 'm/', limit: 10 })).length, 1);
  const { missing, orphans, blobs } = await storage.check();
  t.deepEqual({ missing, orphans, blobs }, { missing: [], orphans: [], blobs: SEGMENTS });
});
