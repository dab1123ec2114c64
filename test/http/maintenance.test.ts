import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory, until } from '../drivers/fixtures.js';
import {
  aborting,
  bucket,
  DAY,
  fill,
  keysOf,
  numbered,
  rule,
  setRules,
  stoppedClock,
  watched,
} from './lifecycle-fixtures.js';
import { memoryStorage } from './servers.js';

const MINUTE = 60_000;

/** The calls that a storage makes to its records. */
interface Counts {
  /** How often it has read the lease. */
  looks: number;
  /** How often it started a round of work. */
  rounds: number;
  /** Whether its process has died: its calls then have no effect. */
  dead: boolean;
}

interface Member {
  readonly storage: ObjectStorage;
  readonly counts: Counts;
  readonly removed: string[];
}

type OpenDrivers = (t: ExecutionContext) => Promise<() => Promise<Drivers>>;
interface Drivers {
  readonly metadata: MetadataStore;
  readonly blobs: ReturnType<typeof memoryBlobs>;
}

/** Drivers that are opened repeatedly on the same data. */
const stores: Readonly<Record<string, OpenDrivers>> = {
  async memory() {
    const [inner, blobs] = [memoryMetadata(), memoryBlobs()];
    const metadata = Object.assign(watched(inner, {}), { close: async () => {} });
    return async () => ({ metadata, blobs: Object.assign(blobs, { close: async () => {} }) });
  },
  async 'one LMDB directory'(t) {
    const { path, remove } = await temporaryDirectory();
    t.teardown(remove);
    return async () => ({
      metadata: await lmdbMetadata({ directory: `${path}/records` }),
      blobs: await filesystemBlobs({ directory: `${path}/blobs` }),
    });
  },
};

async function team(t: ExecutionContext, openDrivers: OpenDrivers) {
  const clock = stoppedClock();
  const open = await openDrivers(t);
  const failures: unknown[] = [];
  const join = async (): Promise<Member> => {
    const { metadata, blobs } = await open();
    const counts: Counts = { looks: 0, rounds: 0, dead: false };
    const watching = watched(metadata, {
      get(key) {
        if (counts.dead) throw new Error('the process is dead');
        if (key === 's/lease') counts.looks++;
      },
      list(prefix) {
        if (prefix === 'b/') counts.rounds++;
      },
    });
    const storage = await createObjectStorage({
      ...{ metadata: watching, blobs, now: clock.now, sweepEvery: false },
      onError(error) {
        if (!counts.dead) failures.push(error);
      },
    });
    t.teardown(async () => {
      await storage.close();
      if (failures.length > 0) throw failures[0];
    });
    const removed: string[] = [];
    storage.on('object:removed', ({ key }) => void removed.push(key));
    return { storage, counts, removed };
  };
  return { join, clock };
}

/** Waits until a storage has read the lease this many more times. */
async function looked({ counts }: Member, times: number): Promise<void> {
  const wanted = counts.looks + times;
  await until(() => counts.looks >= wanted);
}

test('maintenance applies rules and removes garbage until it is stopped', async (t) => {
  const { join, clock } = await team(t, stores.memory as OpenDrivers);
  const { storage, counts } = await join();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'a', body: Buffer.alloc(100_000) });
  await storage.initiateMultipartUpload({ bucket, key: 'b' });
  await setRules(storage, rule(), aborting());
  clock.wait(DAY);
  storage.maintenance.start({ every: 5 });
  await until(async () => (await keysOf(storage)).length === 0);
  await until(async () => (await storage.listMultipartUploads({ bucket })).uploads.length === 0);
  t.is((await storage.check()).blobs, 1);
  clock.wait(2 * 60 * MINUTE);
  await until(async () => (await storage.check()).blobs === 0);
  await storage.maintenance.stop();
  const { rounds, looks } = counts;
  t.true(rounds > 0);
  await fill(storage, ['late']);
  clock.wait(2 * DAY);
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.deepEqual(counts, { rounds, looks, dead: false });
  t.deepEqual(await keysOf(storage), ['late']);
  storage.maintenance.start({ every: 5 });
  await until(async () => (await keysOf(storage)).length === 0);
  t.deepEqual(await storage.check(), { objects: 0, blobs: 0, missing: [], orphans: [] });
});

test('stop before start, twice, and close while it runs are harmless', async (t) => {
  const failures: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => failures.push(error) });
  await storage.maintenance.stop();
  await storage.putBucket({ bucket });
  await fill(storage, numbered(50));
  await setRules(storage, rule({ expires: {} }));
  let removed = 0;
  storage.on('object:removed', () => void removed++);
  storage.maintenance.start({ every: 60_000 });
  storage.maintenance.start({ every: 1 });
  await until(() => removed > 0);
  await storage.maintenance.stop();
  await storage.maintenance.stop();
  await fill(storage, numbered(50));
  storage.maintenance.start({ every: 1 });
  await until(() => removed > 50);
  await storage.close();
  t.deepEqual(failures, []);
});

test('a storage may be closed twice', async (t) => {
  const storage = await memoryStorage();
  await storage.close();
  await t.notThrowsAsync(storage.close());
});

for (const [name, openDrivers] of Object.entries(stores)) {
  test(`two storages on ${name}: one does the background work, and the other takes over when it stops`, async (t) => {
    const { join, clock } = await team(t, openDrivers);
    const [first, second] = [await join(), await join()];
    await first.storage.putBucket({ bucket });
    await setRules(first.storage, rule());
    await fill(first.storage, numbered(20));
    clock.wait(DAY);

    first.storage.maintenance.start({ every: 5 });
    await until(() => first.removed.length === 20);
    second.storage.maintenance.start({ every: 5 });
    await looked(second, 10);
    await fill(second.storage, ['a', 'b']);
    await looked(second, 10);
    t.is(second.counts.rounds, 0, 'the second one waits');

    await first.storage.maintenance.stop();
    const { rounds } = first.counts;
    clock.wait(DAY);
    await until(() => second.removed.length === 2);
    t.is(first.removed.length, 20);
    t.is(first.counts.rounds, rounds, 'the first one has stopped');
    t.true(second.counts.rounds > 0);
    await second.storage.maintenance.stop();
    t.deepEqual(await keysOf(second.storage), []);
  });
}

test('when the working process dies, another takes over a minute later and no sooner', async (t) => {
  const { join, clock } = await team(t, stores.memory as OpenDrivers);
  const [dying, heir] = [await join(), await join()];
  await dying.storage.putBucket({ bucket });
  dying.storage.maintenance.start({ every: 5 });
  await until(() => dying.counts.rounds > 0);
  dying.counts.dead = true;
  heir.storage.maintenance.start({ every: 5 });
  clock.wait(MINUTE - 1);
  await looked(heir, 5);
  t.is(heir.counts.rounds, 0);
  clock.wait(1);
  await until(() => heir.counts.rounds > 0);
  dying.counts.dead = false;
  const { rounds } = dying.counts;
  await looked(dying, 5);
  t.is(dying.counts.rounds, rounds, 'the one that is back waits');
});

test('a lease of a process whose clock was a year ahead is not waited for', async (t) => {
  const { join, clock } = await team(t, stores.memory as OpenDrivers);
  const [dying, heir] = [await join(), await join()];
  await dying.storage.putBucket({ bucket });
  clock.wait(365 * DAY);
  dying.storage.maintenance.start({ every: 5 });
  await until(() => dying.counts.rounds > 0);
  dying.counts.dead = true;
  clock.wait(-365 * DAY);
  heir.storage.maintenance.start({ every: 5 });
  await until(() => heir.counts.rounds > 0);
  dying.counts.dead = false;
  t.deepEqual(await keysOf(heir.storage), []);
});

test('a storage closes its drivers, even if the records cannot be reached or closed', async (t) => {
  for (const fails of ['get', 'close']) {
    const closed: string[] = [];
    const failures: unknown[] = [];
    let isDown = false;
    const watchedDriver = <Driver extends object>(name: string, driver: Driver): Driver =>
      new Proxy(driver, {
        get(target, property) {
          const value = Reflect.get(target, property);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            if (property === 'close') closed.push(name);
            const isRefused = isDown && name === 'records' && property === fails;
            return isRefused ? Promise.reject(new Error('down')) : value.apply(target, given);
          };
        },
      });
    const storage = await createObjectStorage({
      metadata: watchedDriver('records', memoryMetadata()),
      blobs: watchedDriver('blobs', memoryBlobs()),
      onError: (error) => failures.push(error),
    });
    storage.maintenance.start({ every: MINUTE });
    isDown = true;
    const closing = storage.close();
    if (fails === 'close') await t.throwsAsync(closing, { message: 'down' });
    else await closing;
    t.deepEqual(closed, ['records', 'blobs']);
    t.deepEqual(failures.map(String), fails === 'get' ? ['Error: down'] : []);
  }
});
