import { setTimeout as sleep } from 'node:timers/promises';
import type { MetadataStore, ObjectStorage } from '@bucketware/core';
import test from 'ava';
import { block, createFixture, EACH_ALONE, outcome, stateOf, uploadOf } from './soundness.js';

type Act = (storage: ObjectStorage) => Promise<unknown>;

/** Prepares what two callers need, and returns the operations of both. */
type Scene = (storage: ObjectStorage, bucket: string) => Promise<readonly [one: Act, other: Act]>;

const key = 'key';
const source = 'source';
const [a, b, c] = [block('a'), block('b'), block('c')];
const [large, larger] = [block('l', 1_100_000), block('m', 1_200_000)];

const appends =
  (one: Buffer, other: (s: ObjectStorage, bucket: string) => Promise<unknown>): Scene =>
  async (storage, bucket) => {
    await storage.appendObject({ bucket, key, body: a });
    const body = one;
    return [
      (s) => s.appendObject({ bucket, key, body, offset: a.length }),
      (s) => other(s, bucket),
    ];
  };

type Upload = Awaited<ReturnType<typeof uploadOf>>;

const uploads =
  (one: (u: Upload) => Act, other: (u: Upload) => Act): Scene =>
  async (storage, bucket) => {
    await storage.putObject({ bucket, key: source, body: c });
    const upload = await uploadOf(storage, bucket, key, [a, b]);
    return [one(upload), other(upload)];
  };

const part =
  ({ upload }: Upload): Act =>
  (s) =>
    s.uploadPart({ ...upload, partNumber: 1, body: c });
const partCopy =
  ({ upload }: Upload): Act =>
  (s) =>
    s.uploadPartCopy({ ...upload, partNumber: 1, source: { bucket: upload.bucket, key: source } });
const abort =
  ({ upload }: Upload): Act =>
  (s) =>
    s.abortMultipartUpload(upload);
const complete =
  ({ upload, parts }: Upload): Act =>
  (s) =>
    s.completeMultipartUpload({ ...upload, parts });
const create =
  ({ upload, parts }: Upload): Act =>
  (s) =>
    s.completeMultipartUpload({ ...upload, parts, ifNoneMatch: '*' });
const put =
  ({ upload: { bucket } }: Upload): Act =>
  (s) =>
    s.putObject({ bucket, key, body: c });

const objects =
  (one: (bucket: string) => Act, other: (bucket: string) => Act): Scene =>
  async (storage, bucket) => {
    await storage.putObject({ bucket, key: source, body: a });
    await storage.putObject({ bucket, key, body: b });
    return [one(bucket), other(bucket)];
  };

const copy =
  (bucket: string): Act =>
  (s) =>
    s.copyObject({ bucket, key, source: { bucket, key: source } });
const rename =
  (bucket: string): Act =>
  (s) =>
    s.renameObject({ bucket, key, from: source });
const putAt =
  (at: string) =>
  (bucket: string): Act =>
  (s) =>
    s.putObject({ bucket, key: at, body: c });
const deleteAt =
  (at: string) =>
  (bucket: string): Act =>
  (s) =>
    s.deleteObject({ bucket, key: at });
const deleteBucket =
  (bucket: string): Act =>
  (s) =>
    s.deleteBucket({ bucket });
const begin =
  (bucket: string): Act =>
  (s) =>
    s.initiateMultipartUpload({ bucket, key });

const scenes: Readonly<Record<string, Scene>> = {
  'a short append and another': appends(b, (s, bucket) =>
    s.appendObject({ bucket, key, body: c, offset: a.length }),
  ),
  'a long append and another': appends(large, (s, bucket) =>
    s.appendObject({ bucket, key, body: larger, offset: a.length }),
  ),
  'a short append and a long one': appends(b, (s, bucket) =>
    s.appendObject({ bucket, key, body: larger, offset: a.length }),
  ),
  'a short append and a PutObject': appends(b, (s, bucket) =>
    s.putObject({ bucket, key, body: c }),
  ),
  'a long append and a PutObject': appends(large, (s, bucket) =>
    s.putObject({ bucket, key, body: c }),
  ),
  'a short append and a new object': appends(b, (s, bucket) =>
    s.appendObject({ bucket, key, body: c }),
  ),
  'a long append and a new object': appends(large, (s, bucket) =>
    s.appendObject({ bucket, key, body: c }),
  ),
  'a short append and a rename': appends(b, (s, bucket) =>
    s.renameObject({ bucket, key: 'other', from: key }),
  ),
  'a short append and a copy': appends(b, (s, bucket) =>
    s.copyObject({ bucket, key: 'other', source: { bucket, key } }),
  ),
  'a long append and a delete': appends(large, (s, bucket) => s.deleteObject({ bucket, key })),
  'an append and new metadata': appends(b, (s, bucket) =>
    s.copyObject({ bucket, key, source: { bucket, key }, metadataDirective: 'replace' }),
  ),
  'UploadPart and an abort': uploads(part, abort),
  'UploadPart and a completion': uploads(part, complete),
  'UploadPart and another': uploads(part, partCopy),
  'UploadPartCopy and an abort': uploads(partCopy, abort),
  'a completion and an abort': uploads(complete, abort),
  'a completion and a part': uploads(complete, part),
  'a completion and the same': uploads(complete, complete),
  'a completion that may only create and the same': uploads(create, create),
  'a completion and a PutObject': uploads(complete, put),
  'an abort and a completion': uploads(abort, complete),
  'CopyObject and a new source': objects(copy, putAt(source)),
  'CopyObject and a deleted source': objects(copy, deleteAt(source)),
  'CopyObject and a new target': objects(copy, putAt(key)),
  'RenameObject and a new source': objects(rename, putAt(source)),
  'RenameObject and a deleted source': objects(rename, deleteAt(source)),
  'RenameObject and a new target': objects(rename, putAt(key)),
  'PutObject and a rename': objects(putAt(key), rename),
  'PutObject and DeleteBucket': async (_, bucket) => [putAt(key)(bucket), deleteBucket(bucket)],
  'DeleteBucket and PutObject': async (_, bucket) => [deleteBucket(bucket), putAt(key)(bucket)],
  'InitiateMultipartUpload and DeleteBucket': async (_, bucket) => [
    begin(bucket),
    deleteBucket(bucket),
  ],
  'DeleteBucket and InitiateMultipartUpload': async (_, bucket) => [
    deleteBucket(bucket),
    begin(bucket),
  ],
};

/** One of the two operations may fail with one of these errors, and then has changed nothing. */
const REFUSALS = ['OffsetIncorrect', 'BucketNotEmpty'];

/** Counts the calls of a metadata store, and runs a function before one of them. */
class Interleaving {
  steps = 0;
  #at = -1;
  #act: (() => Promise<unknown>) | undefined;

  arm(at: number, act: () => Promise<unknown>): void {
    [this.steps, this.#at, this.#act] = [0, at, act];
  }

  async #step(): Promise<void> {
    if (this.steps++ !== this.#at) return;
    const act = this.#act;
    [this.#at, this.#act] = [-1, undefined];
    await act?.();
  }

  readonly metadata = (inner: MetadataStore): MetadataStore => ({
    get: (key) => this.#step().then(() => inner.get(key)),
    getMany: (keys) => this.#step().then(() => inner.getMany(keys)),
    list: (range) => this.#step().then(() => inner.list(range)),
    commit: (change) => this.#step().then(() => inner.commit(change)),
    close: () => inner.close(),
  });
}

for (const [name, scene] of Object.entries(scenes)) {
  test(`${name} at the same time have the same effect as one after the other`, async (t) => {
    const between = new Interleaving();
    const place = await createFixture({ metadata: between.metadata }, EACH_ALONE);
    const { storage } = place;
    const show = async (bucket: string, one: string, other: string): Promise<string> => {
      const state = await stateOf(storage, bucket).catch(({ code }) => [code]);
      return [`one: ${one}`, `other: ${other}`, ...state].join('\n');
    };
    const run = async (bucket: string, play: (one: Act, other: Act) => Promise<string[]>) => {
      await storage.putBucket({ bucket });
      const [one, other] = await scene(storage, bucket);
      const [first = '', second = ''] = await play(one, other);
      return show(bucket, first, second);
    };

    let steps = 0;
    const forth = await run('forth', async (one, other) => {
      between.arm(-1, async () => {});
      const first = await outcome(one(storage));
      steps = between.steps;
      return [first, await outcome(other(storage))];
    });
    const back = await run('back', async (one, other) => {
      const second = await outcome(other(storage));
      return [await outcome(one(storage)), second];
    });
    const alone = await run('alone', async (_, other) => ['', await outcome(other(storage))]);
    const refused = REFUSALS.map((code) => alone.replace('one: ', `one: ${code}`));
    const expected = [forth, back, ...refused];
    for (let at = 0; at < steps; at++) {
      const found = await run(`at-${at}`, async (one, other) => {
        let second = Promise.resolve('it never came to that');
        between.arm(at, async () => {
          second = outcome(other(storage));
          // The second operation may have to wait for a lock of the first.
          await Promise.race([second, sleep(100)]);
        });
        return [await outcome(one(storage)), await second];
      });
      t.true(expected.includes(found), `step ${at}:\n${found}\nnot\n${forth}\nor\n${back}`);
    }
    const { missing, orphans, records } = await place.settle();
    t.deepEqual([missing, orphans, records.g], [[], [], 0]);
    await place.close();
  });
}
