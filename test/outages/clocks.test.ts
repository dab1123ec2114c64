import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import test, { type ExecutionContext } from 'ava';

const HOUR = 60 * 60 * 1000;

/** Two hosts on the same storage. The clock of one is two hours ahead. */
async function hosts(t: ExecutionContext) {
  const [metadata, blobs] = [memoryMetadata(), memoryBlobs()];
  let later = 0;
  const open = (skew: number) =>
    createObjectStorage({
      ...{ metadata, blobs, inlineLimit: 0, reservedBlobs: 0, sweepEvery: false },
      now: () => Date.now() + skew + later,
    });
  const [slow, fast] = [await open(-HOUR), await open(HOUR)];
  await slow.putBucket({ bucket: 'bucket' });
  t.teardown(() => Promise.all([slow.close(), fast.close()]));
  const wait = (milliseconds: number) => {
    later += milliseconds;
  };
  const leaseHolder = async () => {
    const entry = await metadata.get('s/lease');
    return (entry?.value as { holder: string } | undefined)?.holder;
  };
  return { slow, fast, wait, leaseHolder };
}

test('a host whose clock is ahead does not remove data that another host is storing', async (t) => {
  const { slow, fast } = await hosts(t);
  const object = { bucket: 'bucket', key: 'key' };
  const body = (async function* () {
    yield 'first half, ';
    await fast.sweep();
    yield 'second half';
    await fast.sweep();
  })();
  await slow.putObject({ ...object, body });
  await fast.sweep();
  t.is(await (await fast.getObject(object)).text(), 'first half, second half');
  const { missing, orphans } = await fast.check();
  t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
});

test('the time of an object never goes back, whichever host replaces it', async (t) => {
  const { slow, fast } = await hosts(t);
  const object = { bucket: 'bucket', key: 'key' };
  const first = await fast.putObject({ ...object, body: 'by the fast clock' });
  const second = await slow.putObject({ ...object, body: 'by the slow clock' });
  t.true(+second.lastModified >= +first.lastModified);
  const { lastModified } = await fast.getObjectMeta(object);
  t.is(+lastModified, +second.lastModified);
  await slow.deleteObject({ ...object, ifUnmodifiedSince: lastModified });
});

test('maintenance continues after the host with the lease is gone, after the clock difference at the latest', async (t) => {
  const { slow, fast, wait, leaseHolder } = await hosts(t);
  fast.maintenance.start({ every: 2 });
  while ((await leaseHolder()) === undefined) await sleep(2);
  const holder = await leaseHolder();
  // As if the host had been killed: the lease is not released.
  fast.maintenance.start({ every: 2 ** 30 });
  await sleep(10);
  slow.maintenance.start({ every: 2 });
  await sleep(20);
  t.is(await leaseHolder(), holder);
  wait(2 * HOUR + 2 * 60_000);
  while ((await leaseHolder()) === holder) await sleep(2);
  t.pass();
});
