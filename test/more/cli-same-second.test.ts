import { utimes, writeFile } from 'node:fs/promises';
import test from 'ava';
import { onServer } from '../cli/cli.js';

const HOUR = 3_600_000;
const MB = 1024 * 1024;

/** A server whose clock stands still, with the buckets `notes` and `copies`. */
async function onNotes(t: Parameters<typeof onServer>[0], time: number) {
  const place = await onServer(t, { now: () => time });
  const { must, storage } = place;
  for (const bucket of ['notes', 'copies']) await must('mb', bucket);
  const put = (body: string) => storage.putObject({ bucket: 'notes', key: 'key', body });
  /** An object whose ETag depends on its parts. */
  const putInParts = async (...bodies: string[]) => {
    const object = { bucket: 'notes', key: 'key' };
    const { uploadId } = await storage.initiateMultipartUpload(object);
    const parts = [];
    for (const [index, body] of bodies.entries()) {
      const partNumber = index + 1;
      const { etag } = await storage.uploadPart({ ...object, uploadId, partNumber, body });
      parts.push({ partNumber, etag });
    }
    await storage.completeMultipartUpload({ ...object, uploadId, parts });
  };
  /** How many objects `sync` copied, and how many it found to be the same. */
  const sync = async (to: string) => {
    const [line] = (await must('sync', 'notes:', to, '--json')).lines;
    return [line?.copied, line?.same];
  };
  return { ...place, put, putInParts, sync };
}

test('sync between buckets copies an object that was replaced in the second of its copy', async (t) => {
  const { put, putInParts, sync, must } = await onNotes(t, Date.now());
  await put('old');
  t.deepEqual(await sync('copies:'), [1, 0]);
  await put('new');
  t.deepEqual(await sync('copies:'), [1, 0]);
  t.is((await must('cp', 'copies:key', '-')).stdout, 'new');
  t.deepEqual(await sync('copies:'), [0, 0]);
  // The same data, but with another ETag.
  await must('rm', 'notes:key');
  await putInParts('x'.repeat(MB), 'y');
  await must('cp', 'notes:key', 'file');
  await must('cp', 'file', 'copies:key');
  t.deepEqual(await sync('copies:'), [1, 0]);
  t.deepEqual(await sync('copies:'), [0, 0]);
});

test('sync to a directory copies an object that was replaced in the second of its download', async (t) => {
  const { put, sync, read } = await onNotes(t, Date.now() + HOUR);
  await put('old');
  t.deepEqual(await sync('out'), [1, 0]);
  await put('new');
  t.deepEqual(await sync('out'), [1, 0]);
  t.is(await read('out/key'), 'new');
  t.deepEqual(await sync('out'), [0, 1]);
});

test('sync to a directory looks at an object only once after its second is over', async (t) => {
  const before = Math.floor(Date.now() / 1000) * 1000 - HOUR;
  const { put, putInParts, sync, at } = await onNotes(t, before);
  /** As after a download in the second of the object. */
  const setBack = () => utimes(at('out/key'), new Date(), new Date(before - 1000));
  await put('data');
  t.deepEqual(await sync('out'), [1, 0]);
  t.deepEqual(await sync('out'), [0, 0]);
  await setBack();
  t.deepEqual(await sync('out'), [0, 1]);
  t.deepEqual(await sync('out'), [0, 0]);
  // Only another download shows whether the data is the same.
  await putInParts('x'.repeat(MB), 'y');
  t.deepEqual(await sync('out'), [1, 0]);
  await setBack();
  t.deepEqual(await sync('out'), [1, 0]);
  t.deepEqual(await sync('out'), [0, 0]);
});

test('sync to a directory compares a file that was changed in the second of its object', async (t) => {
  const second = Math.floor(Date.now() / 1000) * 1000 - HOUR;
  const { put, sync, read, at } = await onNotes(t, second + 900);
  await put('other');
  const changed = (time: number) => utimes(at('out/key'), time / 1000, time / 1000);
  t.deepEqual(await sync('out'), [1, 0]);
  await writeFile(at('out/key'), 'local');
  await changed(second + 1_300);
  t.deepEqual(await sync('out'), [0, 0]);
  t.is(await read('out/key'), 'local');
  await changed(second + 300);
  t.deepEqual(await sync('out'), [1, 0]);
  t.is(await read('out/key'), 'other');
  t.deepEqual(await sync('out'), [0, 0]);
});
