import { closeSync, openSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { onServer } from '../cli/cli.js';

/** Files of both sizes are sent in one request. */
const SIZES = [4_000, 1_100_000];

/** A server with the bucket `notes`, and a file of 2001 in the directory `src`. */
async function onFile(t: Parameters<typeof onServer>[0], size: number) {
  const place = await onServer(t);
  await place.must('mb', 'notes');
  await mkdir(place.at('src'));
  let seconds = 1_000_000_000;
  /** The size stays the same. Each change gives the file another time. */
  const write = (letter: string) => {
    writeFileSync(place.at('src/file'), letter.repeat(size));
    utimesSync(place.at('src/file'), ++seconds, seconds);
  };
  write('a');
  /** `change` is called with the number of the upload, when the command has read the file. */
  const onUpload = (change: (count: number) => void) => {
    let count = 0;
    place.server.prependListener('request', ({ method }: IncomingMessage) => {
      if (method === 'PUT') change(++count);
    });
  };
  const stored = async () =>
    (await (await place.storage.getObject({ bucket: 'notes', key: 'file' })).text()).slice(0, 1);
  return { ...place, write, onUpload, stored };
}

for (const size of SIZES) {
  for (const args of [
    ['sync', 'src', 'notes:'],
    ['cp', 'src/file', 'notes:'],
    ['mv', 'src/file', 'notes:'],
  ]) {
    test(`${args[0]}: a file of ${size} bytes that changes during its upload is uploaded again`, async (t) => {
      const { must, at, write, onUpload, stored } = await onFile(t, size);
      onUpload((count) => count <= 2 && write('bc'.charAt(count - 1)));
      await must(...args);
      t.is(await stored(), 'c');
      t.deepEqual(await readdir(at('src')), args[0] === 'mv' ? [] : ['file']);
    });
  }

  test(`a file of ${size} bytes that changes during each of its uploads is reported and kept`, async (t) => {
    const { run, must, read, write, onUpload, stored } = await onFile(t, size);
    let changes = true;
    onUpload((count) => changes && write(String(count % 10)));
    for (const args of [
      ['sync', '--delete', 'src', 'notes:'],
      ['mv', 'src/file', 'notes:'],
    ]) {
      const { code, stderr } = await run(...args);
      t.is(code, 1);
      t.regex(stderr, /file has changed during each of 4 uploads.*upload the file again with cp/);
    }
    changes = false;
    await must('cp', 'src/file', 'notes:');
    t.is(await stored(), (await read('src/file')).slice(0, 1));
  });
}

/**
 * FAT keeps even seconds, so that all changes during an upload may have the same time. This one lies
 * ahead, so that it is the time of a recent change however long the test takes.
 */
const ONE_TIME = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { stat } = fs.promises;
  const { statSync, fstatSync } = fs;
  const mtimeMs = (Math.ceil(Date.now() / 1000) + 600) * 1000;
  const coarse = (found) => found && Object.assign(found, { mtimeMs });
  fs.promises.stat = async (...call) => coarse(await stat(...call));
  fs.statSync = (...call) => coarse(statSync(...call));
  fs.fstatSync = (...call) => coarse(fstatSync(...call));
  syncBuiltinESMExports();`;

for (const size of [4_000, 9_000_000]) {
  test(`mv: a file of ${size} bytes is uploaded again if its time does not show the change`, async (t) => {
    const { start, at, write, onUpload, storage } = await onFile(t, size);
    // At no moment does the file have another size.
    const change = (letter: string) => {
      const file = openSync(at('src/file'), 'r+');
      writeSync(file, letter.repeat(size), 0);
      closeSync(file);
    };
    await writeFile(at('time.mjs'), ONE_TIME);
    const env = { NODE_OPTIONS: `--import ${pathToFileURL(at('time.mjs')).href}` };
    let sent = 0;
    onUpload((count) => {
      sent = count;
      if (count <= 2) change('bc'.charAt(count - 1));
    });
    const { code, stderr } = await start(['mv', 'src/file', 'notes:'], { env }).ended;
    t.is(code, 0, stderr);
    const object = await storage.getObject({ bucket: 'notes', key: 'file' });
    t.true((await object.text()) === 'c'.repeat(size));
    t.deepEqual(await readdir(at('src')), []);
    // A file that does not change is sent once.
    const before = sent;
    write('d');
    t.is((await start(['cp', 'src/file', 'notes:other'], { env }).ended).code, 0);
    t.is(sent - before, Math.ceil(size / (8 * 1024 * 1024)));
  });
}

test('mv keeps a file whose size and time did not show that its data changed', async (t) => {
  const { run, read, at, write, onUpload, stored } = await onFile(t, 10);
  onUpload(() => {
    write('b');
    // As the cached attributes of a network file system would be.
    utimesSync(at('src/file'), 1_000_000_001, 1_000_000_001);
  });
  const { code, stderr } = await run('mv', 'src/file', 'notes:');
  t.is(code, 1);
  t.regex(stderr, /has changed during the upload, so it was not removed/);
  t.is(await stored(), 'a');
  t.is(await read('src/file'), 'b'.repeat(10));
});

test('a file that is removed during its upload stays in the storage', async (t) => {
  const { must, at, onUpload, stored } = await onFile(t, 10);
  onUpload(() => rmSync(at('src/file')));
  await must('sync', 'src', 'notes:');
  t.is(await stored(), 'a');
});

test('sync --delete: if the source directory disappears at the last moment, nothing is deleted', async (t) => {
  const { at, must, start, storage } = await onFile(t, 10);
  await must('sync', 'src', 'notes:');
  // A deployment that replaces the directory may do this after its first check.
  await writeFile(
    at('gone.mjs'),
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { readdir } = fs.promises;
    fs.promises.readdir = (path, ...options) => {
      if (path === 'src') fs.renameSync('src', 'src.old');
      return readdir(path, ...options);
    };
    syncBuiltinESMExports();`,
  );
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(at('gone.mjs')).href}` };
  const { code, stderr } = await start(['sync', '--delete', 'src', 'notes:'], { env }).ended;
  t.is(code, 1);
  t.regex(stderr, /src: It does not exist/);
  t.is((await storage.listObjects({ bucket: 'notes' })).contents.length, 1);
});
