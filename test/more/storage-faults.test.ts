import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlobStore,
  createObjectStorage,
  type GrowingBlobStore,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test from 'ava';
import {
  block,
  createFixture,
  delegate,
  EACH_ALONE,
  type Fixture,
  stateOf,
  uploadOf,
} from '../http/soundness.js';

/** When a step fails: before it does anything, halfway through its data, or after it is done. */
type Moment = 'before' | 'halfway' | 'after';

/** Makes one step of the drivers fail. In a crash, all later steps fail, too. */
class Fault {
  steps = 0;
  #at = -1;
  #moment: Moment = 'before';
  #crash = false;

  arm(at: number, moment: Moment = 'before', crash = false): void {
    [this.steps, this.#at, this.#moment, this.#crash] = [0, at, moment, crash];
  }

  async step<T>(whole: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    const at = this.steps++;
    const fails = at === this.#at || (this.#crash && this.#at >= 0 && at > this.#at);
    if (!fails) return whole();
    if (at === this.#at && this.#moment === 'halfway') await half?.();
    if (at === this.#at && this.#moment === 'after') await whole();
    throw new Error('A driver failed.');
  }

  readonly blobs = (blobs: GrowingBlobStore): BlobStore => ({
    ...delegate(blobs),
    write: (id, source, options) =>
      this.step(
        () => blobs.write(id, source, options),
        () => blobs.write(id, halfOf(source), options),
      ),
    append: (id, position, source, options) =>
      this.step(
        () => blobs.append(id, position, source, options),
        () => blobs.append(id, position, halfOf(source), options),
      ),
    share: (id, as) => this.step(() => blobs.share(id, as)),
    remove: (id) => this.step(() => blobs.remove(id)),
  });

  readonly metadata = (metadata: MetadataStore): MetadataStore => ({
    ...delegateRecords(metadata),
    commit: (change) => this.step(() => metadata.commit(change)),
  });
}

const delegateRecords = (metadata: MetadataStore): MetadataStore => ({
  get: (key) => metadata.get(key),
  getMany: (keys) => metadata.getMany(keys),
  list: (range) => metadata.list(range),
  commit: (change) => metadata.commit(change),
  close: () => metadata.close(),
});

async function* halfOf(source: AsyncIterable<Uint8Array>) {
  for await (const chunk of source) {
    yield chunk.subarray(0, chunk.length >> 1);
    return;
  }
}

/** Prepares what the operation needs, and returns the operation. */
type Scene = (
  storage: ObjectStorage,
  bucket: string,
) => Promise<(s: ObjectStorage) => Promise<unknown>>;

const [a, b] = [block('a'), block('b')];
const key = 'key';

const scenes: Readonly<Record<string, Scene>> = {
  PutObject: async (_, bucket) => (s) => s.putObject({ bucket, key, body: a }),
  'PutObject of few bytes': async (_, bucket) => (s) => s.putObject({ bucket, key, body: 'few' }),
  async 'PutObject over another'(storage, bucket) {
    await storage.putObject({ bucket, key, body: a });
    return (s) => s.putObject({ bucket, key, body: b });
  },
  async DeleteObject(storage, bucket) {
    await storage.putObject({ bucket, key, body: a });
    return (s) => s.deleteObject({ bucket, key });
  },
  async UploadPart(storage, bucket) {
    const { upload } = await uploadOf(storage, bucket, key, [a]);
    return (s) => s.uploadPart({ ...upload, partNumber: 1, body: b });
  },
  async UploadPartCopy(storage, bucket) {
    await (await uploadOf(storage, bucket, 'source', [a, b])).complete();
    const { upload } = await uploadOf(storage, bucket, key, [a]);
    const source = { bucket, key: 'source' };
    return (s) => s.uploadPartCopy({ ...upload, partNumber: 1, source, range: 'bytes=9-150000' });
  },
  async CompleteMultipartUpload(storage, bucket) {
    await storage.putObject({ bucket, key, body: b });
    const { upload, parts } = await uploadOf(storage, bucket, key, [a, b, a]);
    const list = parts.slice(0, 2);
    return (s) => s.completeMultipartUpload({ ...upload, parts: list });
  },
  async AbortMultipartUpload(storage, bucket) {
    const { upload } = await uploadOf(storage, bucket, key, [a, b]);
    return (s) => s.abortMultipartUpload(upload);
  },
  async CopyObject(storage, bucket) {
    await storage.putObject({ bucket, key, body: b });
    await (await uploadOf(storage, bucket, 'source', [a, b, a])).complete();
    return (s) => s.copyObject({ bucket, key, source: { bucket, key: 'source' } });
  },
  async RenameObject(storage, bucket) {
    await storage.putObject({ bucket, key, body: b });
    await storage.putObject({ bucket, key: 'from', body: a });
    return (s) => s.renameObject({ bucket, key, from: 'from' });
  },
  async 'AppendObject without offset'(storage, bucket) {
    await storage.putObject({ bucket, key, body: b });
    return (s) => s.appendObject({ bucket, key, body: a });
  },
  async 'AppendObject of few bytes'(storage, bucket) {
    await storage.appendObject({ bucket, key, body: a });
    return (s) => s.appendObject({ bucket, key, body: b, offset: a.length });
  },
  async 'AppendObject of many bytes'(storage, bucket) {
    await storage.appendObject({ bucket, key, body: a });
    return (s) => s.appendObject({ bucket, key, body: block('l', 1_200_000), offset: a.length });
  },
  async 'a sweep'(storage, bucket) {
    await storage.putObject({ bucket, key, body: a });
    await storage.putObject({ bucket, key, body: b });
    await (await uploadOf(storage, bucket, key, [a, b])).abort();
    return (s) => s.sweep();
  },
};

for (const [name, scene] of Object.entries(scenes)) {
  test(`whichever step of ${name} fails, it takes effect completely or not at all, and nothing leaks`, async (t) => {
    const fault = new Fault();
    const place = await createFixture({ blobs: fault.blobs, metadata: fault.metadata }, EACH_ALONE);
    const { before, after, steps } = await unharmed(place, scene, fault);
    t.true(steps > 0);
    for (const crash of [false, true]) {
      for (const moment of ['before', 'halfway', 'after'] as const) {
        for (let at = 0; at < steps; at++) {
          const where = `${crash ? 'crash' : 'failure'} ${moment} step ${at}`;
          const bucket = `${crash}-${moment}-${at}`;
          await place.storage.putBucket({ bucket });
          const act = await scene(place.storage, bucket);
          if (name === 'a sweep') place.wait();
          fault.arm(at, moment, crash);
          const answered = await act(place.storage).then(
            () => true,
            () => false,
          );
          fault.arm(-1);
          if (crash) await place.reopen();
          const state = (await stateOf(place.storage, bucket)).join('\n');
          t.true(state === after || (!answered && state === before), `${where}: ${state}`);

          // The client does not know the outcome, and tries again.
          await act(place.storage).catch(() => {});
          t.is((await stateOf(place.storage, bucket)).join('\n'), after, `${where}, repeated`);
          const { missing, orphans, records } = await place.settle();
          t.deepEqual([missing, orphans, records.g], [[], [], 0], where);
          t.is((await stateOf(place.storage, bucket)).join('\n'), after, `${where}, swept`);
          await empty(place, bucket);
        }
      }
    }
    const { blobs, records } = await place.settle();
    t.deepEqual([blobs, records], [0, { a: 0, i: 0, m: 0, u: 0, p: 0, c: 0, g: 0 }]);
    await place.close();
  });
}

/** The state of a bucket before and after the operation, and the number of steps. */
async function unharmed(place: Fixture, scene: Scene, fault: Fault) {
  const bucket = 'unharmed';
  await place.storage.putBucket({ bucket });
  const act = await scene(place.storage, bucket);
  const before = (await stateOf(place.storage, bucket)).join('\n');
  place.wait();
  fault.arm(-1);
  await act(place.storage);
  const { steps } = fault;
  const after = (await stateOf(place.storage, bucket)).join('\n');
  await empty(place, bucket);
  await place.settle();
  return { before, after, steps };
}

async function empty({ storage }: Fixture, bucket: string): Promise<void> {
  for (const { key } of (await storage.listObjects({ bucket })).contents) {
    await storage.deleteObject({ bucket, key });
  }
  await storage.deleteBucket({ bucket });
}

test('a batch that fails has ended: nothing is deleted after its response', async (t) => {
  const records = memoryMetadata();
  const metadata = {
    ...delegateRecords(records),
    async commit(change: Parameters<MetadataStore['commit']>[0]) {
      const deletes = (key: string) => change.delete?.some((name) => name.endsWith(`/${key}`));
      if (deletes('a')) throw new Error('A driver failed.');
      if (deletes('b')) await sleep(20);
      return records.commit(change);
    },
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), sweepEvery: false });
  t.teardown(() => storage.close());
  const bucket = 'bucket';
  await storage.putBucket({ bucket });
  for (const key of ['a', 'b']) await storage.putObject({ bucket, key, body: '' });
  const objects = [{ key: 'a' }, { key: 'b' }];
  await t.throwsAsync(storage.deleteMultipleObjects({ bucket, objects }));
  const { contents } = await storage.listObjects({ bucket });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['a'],
  );
});
