import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import fc from 'fast-check';

/** Values of records: plain data. Text from users is a value, and never the name of a field. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('size', 'etag', 'constructor', 'toString', ''), tie('value')),
  ),
}));
/** Keys of users after the prefix of their bucket. */
const key = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 200 })
  .filter((text) => text.isWellFormed());

/**
 * Drivers may return bytes as a Buffer or a Uint8Array, and objects with or without a prototype.
 */
function bare(found: unknown): unknown {
  if (typeof found !== 'object' || found === null) return found;
  if (found instanceof Uint8Array) return `bytes ${Buffer.from(found).toString('hex')}`;
  if (Array.isArray(found)) return found.map(bare);
  return Object.entries(found).map(([name, part]) => [name, bare(part)]);
}

async function proveRecords(metadata: MetadataStore): Promise<void> {
  await fc.assert(
    fc.asyncProperty(key, value, async (name, given) => {
      await metadata.commit({ put: [{ key: `o/bucket/${name}`, value: given }] });
      const found = await metadata.get(`o/bucket/${name}`);
      const [listed] = await metadata.list({ prefix: `o/bucket/${name}`, limit: 1 });
      return (
        listed?.key === `o/bucket/${name}` &&
        isDeepStrictEqual(bare(found?.value), bare(given)) &&
        isDeepStrictEqual(bare(listed.value), bare(given))
      );
    }),
    { numRuns: 800 },
  );
}

test('a record comes back from memory as it was written, under any key', async (t) => {
  await proveRecords(memoryMetadata());
  t.is(({} as Record<string, unknown>).size, undefined);
});

test('a record comes back from LMDB as it was written, under any key', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const metadata = await lmdbMetadata({ directory, durability: 'relaxed' });
  t.teardown(async () => {
    await metadata.close();
    await rm(directory, { recursive: true });
  });
  await proveRecords(metadata);
  t.pass();
});

const load = async (file: string) =>
  import(new URL(`./engine/records/${file}.js`, import.meta.resolve('@bucketware/core')).href);

const id = fc.stringMatching(/^[0-9a-f]{32}$/);
const bucketId = fc.stringMatching(/^[a-z0-9-]{3,20}(~[0-9a-f]{16})?$/);
const userKey = key.filter((text) => !text.includes('\0'));
const owner = fc.record({ tenantId: fc.string(), userId: fc.string() });
const due = fc.nat(1e13);
const bucket = fc.stringMatching(/^[a-z0-9-]{3,20}$/);
const partNumber = fc.integer({ min: 1, max: 10_000 });

/** Each kind of record that has an id: its file, its name in the file, and its ids. */
const KINDS: readonly (readonly [string, string, fc.Arbitrary<unknown>])[] = [
  ['acls', 'aclRecords', id],
  ['buckets', 'bucketRecords', bucket],
  ['completions', 'completionRecords', id],
  ['inline-bytes', 'inlineRecords', id],
  ['manifests', 'manifestRecords', id],
  ['objects', 'objectRecords', fc.record({ bucketId, key: userKey })],
  ['owners', 'ownedBucketRecords', fc.record({ owner, bucket })],
  ['owners', 'ownerRecords', owner],
  ['part-lists', 'partListRecords', id],
  ['parts', 'partRecords', fc.record({ uploadId: id, partNumber })],
  ['tombstones', 'tombstoneRecords', fc.record({ due, id })],
  ['uploads', 'uploadRecords', fc.record({ bucketId, key: userKey, uploadId: id })],
];

for (const [file, name, ids] of KINDS) {
  test(`the key of a record contains its id: ${name}`, async (t) => {
    const { [name]: kind } = await load(file);
    fc.assert(
      fc.property(ids, (given) => {
        const text: string = kind.key(given);
        return (
          text.startsWith(kind.prefix) && isDeepStrictEqual(bare(kind.parse(text)), bare(given))
        );
      }),
    );
    t.pass();
  });
}

/** A storage with every kind of record. Each record in turn is replaced by a malformed value. */
test('a record of a wrong form is always reported as damaged', async (t) => {
  const inner = memoryMetadata();
  let damaged: string | undefined;
  let wrong: unknown;
  const spoil = <E extends Awaited<ReturnType<MetadataStore['get']>>>(entry: E): E =>
    entry && entry.key === damaged ? { ...entry, value: wrong } : entry;
  const metadata: MetadataStore = {
    get: async (name) => spoil(await inner.get(name)),
    getMany: async (names) => (await inner.getMany(names)).map(spoil),
    list: async (range) => (await inner.list(range)).map(spoil),
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  };
  const at = { bucket: 'bucket', key: 'key' };
  const open = () =>
    createObjectStorage({
      ...{ metadata, blobs, inlineLimit: 8, segmentsInRecord: 1, sweepEvery: false },
      onError: () => {},
    });
  const blobs = memoryBlobs();
  const storage = await open();
  const grants = Array.from({ length: 100 }, (_, n) => ({ id: `user-${n}`, tenantId: 't' }));
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putBucketCors({
    bucket: 'bucket',
    corsConfiguration: [{ allowedOrigins: ['*'], allowedMethods: ['GET'] }],
  });
  await storage.putObject({ ...at, body: 'small', grantRead: grants });
  await storage.appendObject({ ...at, key: 'log', body: 'many' });
  for (const offset of [4, 8, 12]) {
    await storage.appendObject({ ...at, key: 'log', offset, body: 'many' });
  }
  const { uploadId } = await storage.initiateMultipartUpload({ ...at, key: 'up' });
  await storage.uploadPart({ ...at, key: 'up', uploadId, partNumber: 1, body: 'part' });
  const checksumAlgorithm = 'sha1';
  const joined = { ...at, key: 'joined' };
  const done = await storage.initiateMultipartUpload({ ...joined, checksumAlgorithm });
  const { etag } = await storage.uploadPart({ ...done, partNumber: 1, body: 'part' });
  const complete = () =>
    storage.completeMultipartUpload({ ...done, parts: [{ partNumber: 1, etag }] });
  const someone = storage.as({ tenantCode: 't', tenantId: 't', userId: 'user-1', userName: 'u' });
  const everything = [
    () =>
      storage.putBucket({ bucket: 'other' }).then(() => storage.deleteBucket({ bucket: 'other' })),
    () => storage.listBuckets(),
    () => storage.listObjects({ bucket: 'bucket' }),
    () => storage.getBucketCors({ bucket: 'bucket' }),
    () => storage.getBucketAcl({ bucket: 'bucket' }),
    () => storage.getObjectAcl(at),
    async () => (await someone.getObject(at)).bytes(),
    async () => (await storage.getObject({ ...at, key: 'log' })).bytes(),
    complete,
    // A new storage, because lists of parts stay in memory for a while.
    async () => (await open()).getObjectAttributes(joined),
    () => storage.listMultipartUploads({ bucket: 'bucket' }),
    () => storage.listParts({ ...at, key: 'up', uploadId }),
    () => storage.sweep(),
    () => storage.check(),
    () => storage.maintenance.stop(),
    open,
  ];
  for (const work of everything) await work();
  for (const { key: name } of await inner.list({ prefix: '', limit: 100 })) {
    for (wrong of [undefined, null, 7, 'text', [7], {}, new Uint8Array(3), { size: 'large' }]) {
      if (name.startsWith('i/') && wrong instanceof Uint8Array) continue;
      damaged = undefined;
      if (isDeepStrictEqual((await inner.get(name))?.value, wrong)) continue;
      damaged = name;
      const failures: Error[] = [];
      for (const work of everything) {
        await work().catch((error: Error) => failures.push((error.cause as Error) ?? error));
      }
      t.true(failures.length > 0, `${name} as ${JSON.stringify(wrong)}`);
      for (const failure of failures) {
        t.is(failure.name, 'RecordDamagedError', `${name}: ${failure.stack}`);
        t.is((failure as Error & { key: string }).key, name);
      }
    }
  }
});
