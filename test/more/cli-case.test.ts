import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { onServer } from '../cli/cli.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

/**
 * Below `out`, names are the same that differ in case or in the encoding of é, as on macOS, in dots at
 * their end, as on FAT, or in invisible characters, as on ext4 with casefold.
 */
const IGNORE_CASE = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import { join, relative, resolve, sep } from 'node:path';
  const { readdirSync } = fs;
  const root = resolve('out');
  const fold = (name) => name.replace(/\u00ad|\\.$/g, '').normalize('NFC').toLowerCase();
  function namesIn(directory) {
    try {
      return readdirSync(directory);
    } catch {
      return [];
    }
  }
  // Samba stores a file named con under another name.
  const stored = (name) => (name === 'con' ? 'CSHOFG~F' : name.replace(/\\.$/, ''));
  function found(path) {
    const below = relative(root, resolve(String(path)));
    if (below === '' || below.startsWith('..')) return path;
    let at = root;
    for (const name of below.split(sep)) {
      at = join(at, namesIn(at).find((one) => fold(one) === fold(stored(name))) ?? stored(name));
    }
    return at;
  }
  for (const name of ['lstat', 'stat', 'mkdir', 'open', 'rm', 'utimes']) {
    const real = fs.promises[name];
    fs.promises[name] = async (path, ...rest) => real(found(path), ...rest);
  }
  const { rename } = fs.promises;
  fs.promises.rename = async (from, to) => rename(found(from), found(to));
  // On sshfs, each path has an inode of its own.
  if (process.env.OWN_INODES) {
    const { lstat } = fs.promises;
    const inodes = new Map();
    fs.promises.lstat = async (path, ...rest) => {
      const stats = await lstat(path, ...rest);
      if (!inodes.has(path)) inodes.set(path, BigInt(inodes.size));
      const isFile = typeof stats.ino === 'bigint' && !path.includes('.bucketware-partial');
      return isFile ? { ...stats, ino: inodes.get(path) } : stats;
    };
  }
  // CIFS remembers for a second that a name does not exist, until something of that name is created.
  if (process.env.REMEMBERS_ABSENT) {
    const absent = new Set();
    const keyOf = (path) => resolve(String(path));
    const missing = () => Object.assign(new Error('ENOENT, remembered'), { code: 'ENOENT' });
    for (const name of ['lstat', 'stat']) {
      const real = fs.promises[name];
      fs.promises[name] = async (path, ...rest) => {
        if (absent.has(keyOf(path))) throw missing();
        return real(path, ...rest).catch((error) => {
          absent.add(keyOf(path));
          throw error;
        });
      };
    }
    const { mkdir, rename, statfs } = fs.promises;
    fs.promises.statfs = async (path) => ({ ...(await statfs(path)), type: 0xff534d42 });
    fs.promises.mkdir = (path, ...rest) => {
      absent.delete(keyOf(path));
      return mkdir(found(path), ...rest);
    };
    fs.promises.rename = (from, to) => {
      absent.delete(keyOf(to));
      return rename(from, to);
    };
  }
  for (const name of ['statSync', 'createReadStream']) {
    const real = fs[name];
    fs[name] = (path, ...rest) => real(found(path), ...rest);
  }
  syncBuiltinESMExports();`;

/** A server with the bucket `photos`, and a command whose directory `out` ignores case. */
async function onPhotos(t: Parameters<typeof onServer>[0], ignoresCase = true) {
  const place = await onServer(t);
  await place.must('mb', 'photos');
  await writeFile(place.at('hook.mjs'), IGNORE_CASE);
  const env = { NODE_OPTIONS: `--import=${place.at('hook.mjs')}` };
  const run = (...args: readonly string[]) => place.start(args, ignoresCase ? { env } : {}).ended;
  const put = async (objects: Readonly<Record<string, string>>) => {
    for (const [key, body] of Object.entries(objects))
      await place.storage.putObject({ bucket: 'photos', key, body });
  };
  const keys = async () =>
    (await place.storage.listObjects({ bucket: 'photos' })).contents.map(({ key }) => key);
  /** The data of the file that a path leads to. */
  const text = async (path: string) => {
    const fold = (name: string) =>
      name
        .replace(/\u00ad|\.$/g, '')
        .normalize('NFC')
        .toLowerCase();
    const names = await readdir(place.at('out'), { recursive: true });
    return place.read(join('out', names.find((name) => fold(name) === fold(path)) ?? path));
  };
  return { ...place, run, put, keys, text };
}

const LARGE = 'large '.repeat(200_000);

for (const [first, second] of [
  ['IMG_1.jpg', 'img_1.JPG'],
  ['A/b/1', 'a/B/1'],
  ['cafe\u0301', 'caf\u00e9'],
  ['Ma\u00df', 'MA\u1e9e'],
  ['a', 'a.'],
  ['soft', 'so\u00adft'],
] as const) {
  for (const command of ['mv', 'cp', 'sync']) {
    test(`${command}: ${encodeURI(first)} is not replaced by ${encodeURI(second)}`, async (t) => {
      const { run, put, keys, text, at } = await onPhotos(t);
      // The small one could arrive before the large one.
      await put({ '0': 'other', [first]: LARGE, [second]: 'small' });
      const args = command === 'sync' ? ['sync'] : [command, '-r'];
      const end = await run(...args, 'photos:', 'out');
      t.is(end.code, 1);
      t.regex(end.stderr, /2 files copied .*, 1 failed/);
      const kept = end.stderr.includes(`same name on this file system: ${first}.`) ? second : first;
      t.regex(end.stderr, /Not done: .*: Another object has the same name on this file system: /);
      t.is(await text('0'), 'other');
      t.is(await text(first), kept === second ? LARGE : 'small');
      t.deepEqual(await keys(), command === 'mv' ? [kept] : ['0', ...[first, second].sort()]);
      t.false((await readdir(at('out'))).some((name) => name.startsWith('.')));
    });
  }
}

test('an object does not replace the file of another where each path has its own inode', async (t) => {
  const { start, put, must, keys, text, at } = await onPhotos(t);
  const env = { NODE_OPTIONS: `--import=${at('hook.mjs')}`, OWN_INODES: '1' };
  await put({ 'IMG_1.jpg': LARGE, 'img_1.JPG': 'small', '0': 'other' });
  const end = await start(['mv', '-r', 'photos:', 'out'], { env }).ended;
  t.is(end.code, 1);
  const [kept = ''] = await keys();
  t.is(await text('img_1.jpg'), kept === 'IMG_1.jpg' ? 'small' : LARGE);
  t.is((await keys()).length, 1);
  await must('mv', `photos:${kept}`, 'photos:IMG_1.jpeg');
  const again = await start(['cp', '-r', 'photos:', 'out'], { env }).ended;
  t.is(again.code, 0, again.stderr);
  await must('mv', 'photos:IMG_1.jpeg', 'photos:img_1.JPEG');
  const synced = await start(['sync', '--delete', 'photos:', 'out'], { env }).ended;
  t.is(synced.code, 0, synced.stderr);
  t.true((await text('img_1.jpeg')).length > 0);
});

for (const command of ['mv', 'cp', 'sync']) {
  test(`${command}: an object does not replace the file of another where the system remembers absent names`, async (t) => {
    const { start, put, keys, text, at } = await onPhotos(t);
    const env = { NODE_OPTIONS: `--import=${at('hook.mjs')}`, REMEMBERS_ABSENT: '1' };
    await put({ 'IMG_1.jpg': 'first', 'img_1.JPG': 'second', 'other/a': '1', 'other/a.': '2' });
    await put({ 'b.c': 'not alike here', bc: 'alone' });
    const args = command === 'sync' ? ['sync'] : [command, '-r'];
    const end = await start([...args, 'photos:', 'out'], { env }).ended;
    t.is(end.code, 1);
    t.regex(end.stderr, /4 files copied .*, 2 failed/);
    const kept = end.stderr.includes('same name on this file system: IMG_1.jpg.');
    t.is(await text('img_1.jpg'), kept ? 'first' : 'second');
    t.deepEqual([await text('b.c'), await text('bc')], ['not alike here', 'alone']);
    t.is((await keys()).length, command === 'mv' ? 2 : 6);
    t.deepEqual((await readdir(at('out'))).length, 4);
  });
}

test('a file that another command puts there meanwhile is never removed', async (t) => {
  const { start, put, at } = await onPhotos(t);
  await writeFile(at('theirs'), 'theirs');
  await writeFile(
    at('meanwhile.mjs'),
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    for (const name of ['rm', 'rmdir']) {
      const real = fs.promises[name];
      fs.promises[name] = async (path, ...rest) => {
        try {
          if (/v1\\.?1$/.test(path)) fs.renameSync('theirs', path);
        } catch (error) {
          console.error('NOT MOVED', error.code);
        }
        return real(path, ...rest);
      };
    }
    syncBuiltinESMExports();`,
  );
  const hooks = ['hook.mjs', 'meanwhile.mjs'].map((name) => `--import=${at(name)}`);
  await put({ 'v1.1': 'first', v11: 'second' });
  const env = { NODE_OPTIONS: hooks.join(' '), REMEMBERS_ABSENT: '1' };
  const { stderr } = await start(['mv', '-r', 'photos:', 'out'], { env }).ended;
  t.regex(stderr, /NOT MOVED EISDIR/);
  t.is(await readFile(at('theirs'), 'utf8'), 'theirs');
});

test('what a directory already has is not replaced by an object of almost the same name', async (t) => {
  const { run, put, text } = await onPhotos(t);
  await put({ 'a.txt': 'unchanged', b: 'b' });
  t.is((await run('sync', 'photos:', 'out')).code, 0);
  await put({ 'A.txt': 'before it', 'a.TXT': 'between', c: 'c' });
  for (let attempt = 0; attempt < 2; attempt++) {
    const end = await run('sync', '--delete', 'photos:', 'out');
    t.is(end.code, 1);
    t.is(end.stderr.match(/Another object has the same name on this file system: /g)?.length, 2);
  }
  t.is(await text('c'), 'c');
  t.true(['before it', 'unchanged'].includes(await text('a.txt')));
});

test('sync keeps the file of an object that was renamed in case only', async (t) => {
  const { run, put, must, at, text } = await onPhotos(t);
  await put({ 'img_1.jpg': 'photo', 'old/a': 'a', 'z.txt': 'z' });
  const sync = () => run('sync', '--delete', 'photos:', 'out');
  t.is((await sync()).code, 0);
  await must('mv', 'photos:img_1.jpg', 'photos:IMG_1.JPG');
  await must('mv', 'photos:old/a', 'photos:OLD/a');
  await must('rm', 'photos:z.txt');
  for (const deleted of [/, 1 deleted\./, /copied/, /copied/]) {
    const end = await sync();
    t.is(end.code, 0, end.stderr);
    t.regex(end.stderr, deleted);
    t.deepEqual(await readdir(at('out')), ['img_1.jpg', 'old']);
    t.is(await text('img_1.jpg'), 'photo');
    t.is(await text('old/a'), 'a');
  }
});

test('sync keeps files that are stored under other names', async (t) => {
  const { run, put, must, at, text } = await onPhotos(t);
  // FAT drops the dot at the end of a name.
  await put({ 'Inc./letter': 'letter', 'Nov. 23.': 'minutes', con: '1', 'con/': '', 'z.': 'z' });
  await put({ 'con.d/con': '2', 'con.d/a': 'a' });
  const sync = () => run('sync', '--delete', 'photos:', 'out');
  t.is((await sync()).code, 0);
  await must('rm', 'photos:z.');
  await must('rm', 'photos:con.d/a');
  for (const deleted of [/, 2 deleted\./, /copied/]) {
    const end = await sync();
    t.is(end.code, 0, end.stderr);
    t.regex(end.stderr, deleted);
    t.deepEqual(await readdir(at('out')), ['CSHOFG~F', 'Inc', 'Nov. 23', 'con.d']);
    t.deepEqual(await readdir(at('out/con.d')), ['CSHOFG~F']);
    t.deepEqual([await text('Inc/letter'), await text('Nov. 23')], ['letter', 'minutes']);
  }
});

onLinux('where case matters, all files arrive, and are deleted', async (t) => {
  const { run, put, must, at } = await onPhotos(t, false);
  await put({ 'IMG_1.jpg': '1', 'img_1.JPG': '2', 'a/1': '3', 'A/1': '4' });
  for (const args of [['cp', '-r'], ['sync'], ['sync', '--checksum']]) {
    const end = await run(...args, 'photos:', 'out');
    t.is(end.code, 0, end.stderr);
    t.deepEqual(await readdir(at('out')), ['A', 'IMG_1.jpg', 'a', 'img_1.JPG']);
  }
  await must('mv', 'photos:IMG_1.jpg', 'photos:IMG_1.JPG');
  t.is((await run('sync', '--delete', 'photos:', 'out')).code, 0);
  t.deepEqual(await readdir(at('out')), ['A', 'IMG_1.JPG', 'a', 'img_1.JPG']);
});
