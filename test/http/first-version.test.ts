import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ObjectStorage, openStorage, type Principal } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';

/** Written by the first version, see `write-first-version.mjs`. */
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly { readonly partNumber: number; readonly eTag: string }[];
}

interface Found {
  readonly now: number;
  readonly people: { readonly alice: Principal; readonly bob: Principal };
  readonly joined: Upload & { readonly etag: string };
  readonly waiting: Upload;
  readonly acl: { readonly bucket: readonly object[]; readonly object: readonly object[] };
  readonly cors: readonly object[];
  readonly objects: readonly {
    readonly bucket: string;
    readonly key: string;
    readonly size: number;
    readonly lastModified: string;
  }[];
}

const found: Found = JSON.parse(await readFile(join(FIXTURES, 'first-version.json'), 'utf8'));
const { alice, bob } = found.people;
const bucket = 'photos';
const OWNERS = { bobs: bob, 'bobs-empty': bob, 'of-the-host': undefined, photos: alice } as const;

interface Old {
  readonly directory: string;
  storage: ObjectStorage;
  wait(milliseconds: number): void;
  reopen(): Promise<void>;
}

/**
 * A copy of the old store, opened by the current code with the clock set to when it was written.
 */
async function openOld(t: ExecutionContext): Promise<Old> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-'));
  execFileSync('tar', ['-xzf', join(FIXTURES, 'first-version.tar.gz'), '-C', directory]);
  let time = found.now;
  const now = () => time++;
  const onError = (error: unknown) => t.fail(String(error));
  const open = () =>
    openStorage({ directory, durability: 'relaxed', sweepEvery: false, now, onError });
  const old: Old = {
    directory,
    storage: await open(),
    wait: (milliseconds) => {
      time += milliseconds;
    },
    async reopen() {
      await old.storage.close();
      old.storage = await open();
    },
  };
  t.teardown(async () => {
    await old.storage.close();
    await rm(directory, { recursive: true });
  });
  return old;
}

async function proveWhole(t: ExecutionContext, { storage }: Old): Promise<void> {
  const { missing, orphans } = await storage.check();
  t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
  t.is((await storage.scrub()).found, 0);
}

test('a store of the first version can be read completely', async (t) => {
  const old = await openOld(t);
  const { storage } = old;
  await proveWhole(t, old);
  const objects: unknown[] = [];
  for (const [name, owner] of Object.entries(OWNERS)) {
    const as = owner === undefined ? storage : storage.as(owner);
    for (const { key } of (await as.listObjects({ bucket: name })).contents) {
      const object = await as.getObject({ bucket: name, key });
      const { size, etag, type, storageClass, contentType, metadata } = object;
      const sha256 = createHash('sha256')
        .update(await object.bytes())
        .digest('hex');
      const lastModified = object.lastModified.toISOString();
      const headers = { ...(contentType && { contentType }), lastModified, metadata };
      objects.push({ bucket: name, key, size, etag, type, storageClass, sha256, ...headers });
    }
  }
  t.deepEqual(objects, found.objects);
  const names = async (owner: Principal) =>
    (await storage.as(owner).listBuckets()).buckets.map(({ name }) => name);
  t.deepEqual(await names(alice), ['photos']);
  t.deepEqual(await names(bob), ['bobs', 'bobs-empty']);
});

test('access control and settings of the first version still apply', async (t) => {
  const { storage } = await openOld(t);
  const asAlice = storage.as(alice);
  const { accessControlList } = await asAlice.getBucketAcl({ bucket });
  t.deepEqual(accessControlList, found.acl.bucket);
  const list = await asAlice.getObjectAcl({ bucket, key: 'large-list.txt' });
  t.deepEqual(list.accessControlList, found.acl.object);
  t.deepEqual((await asAlice.getBucketCors({ bucket })).corsConfiguration, found.cors);
  t.deepEqual((await asAlice.getBucketLifecycle({ bucket })).rule, [
    {
      ...{ id: 'old logs', status: 'enabled', resource: ['photos/logs/*'] },
      ...{ expires: { afterDays: 30 }, action: 'DeleteObject' },
    },
  ]);

  const nobody = storage.as(undefined);
  const readBy = async (who: typeof asAlice, key: string) =>
    String(await (await who.getObject({ bucket, key })).bytes());
  t.is(await readBy(nobody, 'public.txt'), 'public');
  // Grants of the first version have no tenant. They apply to users of the owner's tenant.
  const colleague = storage.as({ ...bob, tenantId: alice.tenantId });
  t.is(await readBy(colleague, 'for-bob.txt'), 'for bob');
  t.is(await readBy(colleague, 'small.txt'), 'small');
  await t.throwsAsync(readBy(nobody, 'small.txt'), { code: 'AccessDenied' });
  const putting = colleague.putObject({ bucket, key: 'small.txt', body: '' });
  await t.throwsAsync(putting, { code: 'AccessDenied' });
  const ofBob = await nobody.getObject({ bucket: 'bobs', key: 'note' });
  t.is(String(await ofBob.bytes()), 'of bob');
});

test('uploads and appends of the first version can be continued', async (t) => {
  const old = await openOld(t);
  const as = old.storage.as(alice);
  const { bucket: _, key, uploadId, parts } = found.waiting;
  t.deepEqual(
    (await as.listMultipartUploads({ bucket })).uploads.map((upload) => upload.key),
    ['no-parts-yet.bin', 'waiting.bin'],
  );
  const listed = (await as.listParts({ bucket, key, uploadId })).parts;
  t.deepEqual(
    listed.map(({ partNumber, etag: eTag }) => ({ partNumber, eTag })),
    parts,
  );
  const body = 'the last part';
  const { etag: eTag } = await as.uploadPart({ bucket, key, uploadId, partNumber: 10, body });
  await as.completeMultipartUpload({
    ...{ bucket, key, uploadId },
    parts: [...parts, { partNumber: 10, eTag }],
  });
  const joined = await old.storage.as(undefined).getObject({ bucket, key });
  t.deepEqual(joined.metadata, { waits: 'yes' });
  const bytes = await joined.bytes();
  t.is(bytes.length, 3 * 102_400 + 102_601 + body.length);
  t.is(String(bytes.subarray(-body.length)), body);

  const { etag, ...again } = found.joined;
  t.is((await as.completeMultipartUpload(again)).etag, etag);

  for (const [log, size] of [
    ['appended.log', 13],
    ['many-appends.log', 71],
  ] as const) {
    for (const text of ['more', ' and more']) {
      const { size: offset } = await old.storage.getObjectMeta({ bucket, key: log });
      await old.storage.appendObject({ bucket, key: log, offset, body: text });
    }
    const all = String(await (await old.storage.getObject({ bucket, key: log })).bytes());
    t.is(all.slice(size), 'more and more');
    await old.reopen();
    t.is((await old.storage.getObjectMeta({ bucket, key: log })).size, size + 13);
  }
  await proveWhole(t, old);
});

test('lifecycle rules of the first version are applied, and its garbage is removed', async (t) => {
  const old = await openOld(t);
  old.wait(2 * HOUR);
  t.true((await old.storage.sweep()).removed > 0);
  await proveWhole(t, old);
  old.wait(32 * DAY);
  await old.storage.lifecycle.run();
  const { contents } = await old.storage.listObjects({ bucket, prefix: 'logs/' });
  t.deepEqual(contents, []);
  t.is((await old.storage.check()).objects, found.objects.length - 2);
  await proveWhole(t, old);
});

test('buckets of the first version can be emptied and deleted, and leave nothing', async (t) => {
  const old = await openOld(t);
  const as = old.storage.as(alice);
  await as.copyObject({ bucket, key: 'moved', source: { bucket, key: 'manifest.bin' } });
  await as.putObject({ bucket, key: 'small.txt', body: 'replaced' });
  await as.renameObject({ bucket, key: 'renamed again', from: 'renamed.bin' });
  const taken = old.storage.as(bob).putBucket({ bucket });
  await t.throwsAsync(taken, { code: 'BucketAlreadyExists' });
  await t.throwsAsync(as.deleteBucket({ bucket }), { code: 'BucketNotEmpty' });
  for (const name of Object.keys(OWNERS)) {
    const { contents } = await old.storage.listObjects({ bucket: name });
    for (const { key } of contents) await old.storage.deleteObject({ bucket: name, key });
    await old.storage.deleteBucket({ bucket: name });
  }
  for (let days = 0; days < 20; days += 2) {
    old.wait(2 * DAY);
    await old.storage.sweep();
  }
  t.deepEqual((await old.storage.check()).blobs, 0);
  await proveWhole(t, old);
  const left = await readdir(join(old.directory, 'blobs'), { recursive: true });
  t.deepEqual(
    left.filter((name) => /[0-9a-f]{32}$/.test(name)),
    [],
  );
  await old.storage.as(bob).putBucket({ bucket });
  t.deepEqual((await old.storage.as(bob).listObjects({ bucket })).contents, []);
});
