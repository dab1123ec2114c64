import { open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { blobsIn, fill, opened } from './fixtures.js';

test('blobs that the storage itself has lost are reported, and do not stop the backup', async (t) => {
  const directory = await directoryOf(t);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const storage = await opened(t, { directory: join(directory, 'data') }, { onError });
  await fill(storage);
  await storage.backup(join(directory, 'first'));
  const [id] = (await blobsIn(join(directory, 'first'))) as [string];
  await rm(join(directory, 'data', 'blobs', id.slice(0, 2), id));
  const { missing } = await storage.backup(join(directory, 'backup'));
  t.deepEqual(missing, [id]);
  t.is(errors.length, 1);
  const to = { directory: join(directory, 'new') };
  const { verified } = await restoreStorage({ from: join(directory, 'backup'), to });
  t.deepEqual(
    verified.damaged.map(({ problem }) => problem),
    ['missing'],
  );
});

const [OLD, NEW] = [50_000, 40_000];
const BODY = 'line\n'.repeat((OLD + NEW) / 5);
const log = { bucket: 'notes', key: 'log' };

/** A storage whose only blob has grown since its backup. */
async function grown(t: ExecutionContext, onError: (error: unknown) => void) {
  const directory = await directoryOf(t);
  const data = join(directory, 'data');
  const storage = await opened(t, { directory: data }, { onError });
  await storage.putBucket({ bucket: log.bucket });
  await storage.appendObject({ ...log, body: BODY.slice(0, OLD) });
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  await storage.appendObject({ ...log, body: BODY.slice(OLD), offset: OLD });
  const [id] = (await blobsIn(backup)) as [string];
  const pathIn = (place: string) => join(place, 'blobs', id.slice(0, 2), id);
  return { directory, storage, data, backup, id, pathIn };
}

for (const [what, left, kept] of [
  ['has lost', 0, OLD],
  ['has only the beginning of', 60_000, 60_000],
  ['has less than the previous backup of', 10_000, OLD],
] as const) {
  test(`a backup keeps what is left of a blob that the storage ${what}`, async (t) => {
    const { directory, storage, data, backup, id, pathIn } = await grown(t, () => {});
    if (left > 0) await truncate(pathIn(data), left);
    else await rm(pathIn(data));
    for (const copied of [kept > OLD ? 1 : 0, 0]) {
      const report = await storage.backup(backup);
      t.deepEqual(report.missing, [id]);
      t.deepEqual([report.blobs, report.present, report.bytes], [1, 0, kept]);
      t.is(report.copied, copied);
      t.is((await stat(pathIn(backup))).size, kept);
    }
    const to = { directory: join(directory, 'restored') };
    const { verified } = await restoreStorage({ from: backup, to });
    t.deepEqual(
      verified.damaged.map(({ blob, problem }) => [blob, problem]),
      [[id, 'short']],
    );
    const restored = await opened(t, to, { onError: () => {} });
    const start = await restored.getObject({ ...log, range: `bytes=0-${OLD - 1}` });
    t.true((await start.text()) === BODY.slice(0, OLD));
  });
}

/** Changes three bytes of a file. */
async function rot(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write('ROT', position);
  await file.close();
}

for (const [what, inStorage, inBackup, isWhole] of [
  ['in the storage', [100], [], true],
  ['in the backup', [], [100], true],
  ['at its end in the storage', [100, OLD + 100], [], false],
] as const) {
  test(`a backup of a blob that grows keeps what is intact, if it is damaged ${what}`, async (t) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const { directory, storage, data, backup, id, pathIn } = await grown(t, onError);
    for (const position of inStorage) await rot(pathIn(data), position);
    for (const position of inBackup) await rot(pathIn(backup), position);
    const { missing, bytes } = await storage.backup(backup);
    t.deepEqual(missing, isWhole ? [] : [id]);
    t.is(errors.length, isWhole ? 0 : 1);
    t.is(bytes, BODY.length);
    const kept = await readFile(pathIn(backup), 'utf8');
    t.true(kept.slice(0, OLD) === BODY.slice(0, OLD));
    t.is(kept === BODY, isWhole);
    const to = { directory: join(directory, 'restored') };
    t.is((await restoreStorage({ from: backup, to })).verified.found, isWhole ? 0 : 1);
  });
}
