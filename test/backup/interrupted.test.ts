import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { openStorage, restoreStorage, type StoragePlace } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill, LARGE, opened, restored, textOf } from './fixtures.js';

/** A storage that has changed since its backup, and the place of an interrupted restoration. */
async function interrupted(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const placeOf = (name: string) => ({ directory: join(directory, name) });
  const storage = await opened(t, placeOf('data'));
  await fill(storage);
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  await storage.putObject({ bucket: 'notes', key: 'new', body: LARGE });
  const begin = async (place: StoragePlace) => {
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('enough'));
    const restoring = restoreStorage({ from: backup, to: place, onProgress, signal: stop.signal });
    await t.throwsAsync(restoring, { message: 'enough' });
  };
  const to = placeOf('restored');
  await begin(to);
  return { directory, placeOf, storage, backup, begin, to };
}

test('an interrupted restoration continues only with its own blobs', async (t) => {
  const { directory, placeOf, storage, backup, begin, to } = await interrupted(t);
  await begin(placeOf('second'));
  const finished = await restored(t, backup, placeOf('finished'));
  await finished.putObject({ bucket: 'notes', key: 'new', body: LARGE });
  const withBlobs = (name: string) => ({
    metadata: `lmdb:${directory}/restored/records`,
    blobs: `filesystem:${directory}/${name}/blobs`,
  });
  for (const name of ['data', 'finished', 'second']) {
    const restoring = restoreStorage({ from: backup, to: withBlobs(name) });
    await t.throwsAsync(restoring, { message: /continues only with its own blobs/ });
  }
  for (const inUse of [storage, finished]) {
    t.true((await textOf(inUse, 'new')) === LARGE);
    t.deepEqual((await inUse.check()).missing, []);
  }
  // Its records do not open either, not even with an empty blob store.
  await t.throwsAsync(openStorage(withBlobs('empty')), { message: /an unfinished copy/ });
  await restored(t, backup, to);
  await restored(t, backup, placeOf('second'));
});

test('a restoration that an earlier version began is rejected, and keeps its blobs', async (t) => {
  const { directory, backup, to } = await interrupted(t);
  const identity = await readFile(join(directory, 'data', 'blobs', 'storage.json'), 'utf8');
  const id: string = JSON.parse(identity).storageId;
  const metadata = await lmdbMetadata({ directory: join(to.directory, 'records') });
  await metadata.commit({ put: [{ key: 's/copy', value: { id, run: 'earlier' } }] });
  await metadata.close();
  const blobs = await filesystemBlobs({ directory: join(to.directory, 'blobs') });
  const surplus = '0'.repeat(32);
  await blobs.write(surplus, Readable.from([Buffer.from('text')]));
  await blobs.identify(id);
  await t.throwsAsync(restoreStorage({ from: backup, to }), {
    message: /Choose an empty target: .* not if an earlier version began it/,
  });
  t.is(await blobs.identity(), id);
  await t.notThrowsAsync(blobs.read(surplus, { start: 0, end: 4 }));
});

test('a restoration that stops just before it claims its blobs can be opened', async (t) => {
  const { directory, backup } = await interrupted(t);
  const place = { directory: join(directory, 'late') };
  const blobs = await filesystemBlobs({ directory: join(place.directory, 'blobs') });
  const identify = blobs.identify.bind(blobs);
  let calls = 0;
  blobs.identify = async (id) => {
    if (++calls === 2) throw new Error('the process stops');
    await identify(id);
  };
  await t.throwsAsync(restoreStorage({ from: backup, to: { ...place, blobs } }), {
    message: 'the process stops',
  });
  for (let time = 0; time < 2; time++) {
    const storage = await opened(t, place);
    t.true((await textOf(storage, 'large')) === `${LARGE}large`);
    t.deepEqual((await storage.check()).missing, []);
    await storage.close();
  }
});

for (const step of ['the blobs are claimed', 'the records are claimed']) {
  test(`a restoration that a full disk ends before ${step} succeeds when it is repeated`, async (t) => {
    const { directory, placeOf, storage, backup } = await interrupted(t);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      ...{ code: 'ENOSPC', syscall: 'write' },
    });
    const fillUp = async (place: { directory: string }) => {
      const blobs = await filesystemBlobs({ directory: join(place.directory, 'blobs') });
      const metadata = await lmdbMetadata({ directory: join(place.directory, 'records') });
      const identify = blobs.identify.bind(blobs);
      const commit = metadata.commit.bind(metadata);
      let isLast = false;
      blobs.identify = async (id) => {
        if (id.startsWith('unfinished')) return identify(id);
        if (step === 'the blobs are claimed') throw full;
        isLast = true;
        await identify(id);
      };
      metadata.commit = async (change) => {
        if (isLast) throw full;
        return commit(change);
      };
      const restoring = restoreStorage({ from: backup, to: { ...place, blobs, metadata } });
      t.is((await t.throwsAsync<Error & { code?: string }>(restoring))?.code, 'ENOSPC');
    };
    const place = placeOf('late');
    await fillUp(place);
    const again = await restored(t, backup, place);
    t.true((await textOf(again, 'large')) === `${LARGE}large`);
    await again.close();
    // It may be in use by now.
    await t.throwsAsync(restoreStorage({ from: backup, to: place }), {
      message: /already contains the storage/,
    });

    const outdated = placeOf('outdated');
    await fillUp(outdated);
    await storage.backup(backup);
    await t.throwsAsync(restoreStorage({ from: backup, to: outdated }), {
      message: /already contains the storage/,
    });
    const mixed = {
      metadata: `lmdb:${directory}/outdated/records`,
      blobs: `filesystem:${directory}/empty`,
    };
    await t.throwsAsync(restoreStorage({ from: backup, to: mixed }), {
      message: /already contains the storage/,
    });
  });
}
