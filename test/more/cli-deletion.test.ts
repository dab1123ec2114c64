import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import test from 'ava';
import { onServer, onStorage } from '../cli/cli.js';
import { alice } from '../http/servers.js';

/** A server with the bucket `site`. */
async function onSite(t: Parameters<typeof onServer>[0]) {
  const place = await onServer(t);
  await place.must('mb', 'site');
  const put = async (objects: Readonly<Record<string, string>>) => {
    for (const [key, body] of Object.entries(objects))
      await place.storage.putObject({ bucket: 'site', key, body });
  };
  const keys = async () =>
    (await place.storage.listObjects({ bucket: 'site' })).contents.map(({ key }) => key);
  const text = async (key: string) =>
    (await place.storage.getObject({ bucket: 'site', key })).text();
  return { ...place, put, keys, text };
}

test('no object is lost when source and target overlap', async (t) => {
  const { run, put, keys, text } = await onSite(t);
  await put({ 'a/a/a/z': 'inner', 'a/a/z': 'outer', 'b/z': 'b' });
  const before = await keys();
  for (const args of [
    ['mv', '-r', 'site:a/a/', 'site:a/'],
    ['mv', '-r', 'site:a/', 'site:a/a/'],
    ['mv', '-r', 'site:', 'site:'],
    ['cp', '-r', 'site:a/', 'site:a/b/'],
    ['sync', 'site:', 'site:backup/'],
    ['sync', 'site:b/', 'site:'],
    ['sync', '--delete', 'site:b', 'site:'],
    ['sync', '--delete', 'site:b', 'site:b/'],
  ]) {
    const end = await run(...args);
    t.is(end.code, 2, `${args.join(' ')}: ${end.stderr}`);
    t.regex(end.stderr, / inside the /);
  }
  t.deepEqual(await keys(), before);

  const copy = await run('cp', '-r', 'site:a/a/', 'site:a/');
  t.is(copy.code, 1);
  t.regex(copy.stderr, /copy site:a\/a\/a\/z to site:a\/a\/z: the copy would be in the source/);
  t.is(await text('a/z'), 'outer');
  t.is(await text('a/a/z'), 'outer');
});

test('a name that no bucket of the command can have is not taken for a local path', async (t) => {
  const { run, must, put, keys, at, storage } = await onSite(t);
  await put({ '2025/a': 'a' });
  await storage.as(alice).putBucket({ bucket: 'my.archive' });
  const before = await readdir(at('.'));
  const dotted = /S3 clients .* such as my\.archive\. For a local path, write \.\/my\.archive:x\//;
  const failures: [args: string[], words: RegExp][] = [
    [['mv', '-r', 'site:2025', 'my.archive:x/'], dotted],
    [['mv', 'site:2025/a', 'my.archive:x/'], dotted],
    [['sync', 'site:2025', 'my.archive:x/'], dotted],
    [['cp', '-r', 'my.archive:x/', 'site:2025/'], dotted],
    [['mv', 'site:2025/a', 'Archive:x'], /Archive:x is not a place .* write \.\/Archive:x/],
    [['mv', '-r', 'site:2025', 's3://archive'], /For a local path, write \.\/s3:/],
  ];
  for (const [args, words] of failures) {
    const end = await run(...args);
    t.is(end.code, 2, args.join(' '));
    t.regex(end.stderr, words);
  }
  t.regex((await run('ls', 'my.archive')).stderr, /S3 clients .* such as my\.archive/);
  const used = await run('usage', '--json');
  t.deepEqual([used.code, used.lines.map(({ bucket }) => bucket)], [1, ['site']]);
  t.deepEqual(await readdir(at('.')), before);
  t.deepEqual(await keys(), ['2025/a']);
  await must('mv', '-r', 'site:2025', './my.archive:2025');
  t.is(readFileSync(at('my.archive:2025/a'), 'utf8'), 'a');
  await must('mv', `${at('my.archive:2025')}/a`, 'site:b');
  t.deepEqual(await keys(), ['b']);
});

/** Records the inodes of what a process has written to disk. */
const RECORD_SYNCS = `
  import { appendFileSync, fstatSync } from 'node:fs';
  import { open } from 'node:fs/promises';
  const file = await open(process.execPath);
  const { sync } = Object.getPrototypeOf(file);
  Object.getPrototypeOf(file).sync = async function () {
    await sync.call(this);
    appendFileSync('synced', fstatSync(this.fd).ino + '\\n');
  };
  await file.close();`;

test('mv deletes an object once its file would survive a power cut', async (t) => {
  const { start, put, keys, read, server, at } = await onSite(t);
  await put({ 'a/small': '1', 'a/large': 'x'.repeat(1_100_000) });
  await writeFile(at('hook.mjs'), RECORD_SYNCS);
  server.prependListener('request', ({ method, url = '' }) => {
    if (method !== 'DELETE') return;
    const synced = readFileSync(at('synced'), 'utf8').split('\n');
    const file = url.replace(/^.*\/site\//, 'new/out/');
    for (const path of [file, 'new/out/a', 'new/out', 'new', '.'])
      t.true(synced.includes(`${statSync(at(path)).ino}`), `${url}: ${path}`);
  });
  const env = { NODE_OPTIONS: `--import=${at('hook.mjs')}` };
  const end = await start(['mv', '-r', 'site:', 'new/out'], { env }).ended;
  t.is(end.code, 0, end.stderr);
  t.deepEqual(await keys(), []);
  t.is(await read('new/out/a/small'), '1');
});

test('sync deletes only after everything was copied', async (t) => {
  const { run, put, at, read } = await onSite(t);
  await put({ new: '1', 'z/1': '2', 'link/x': '3', 'odd//name': '4' });
  await mkdir(at('out'));
  await writeFile(at('out/a'), 'old');
  await writeFile(at('out/z'), 'a file where the source has a folder');
  await symlink(at('.'), at('out/link'));
  const failed = await run('sync', '--delete', 'site:', 'out');
  t.is(failed.code, 1);
  t.regex(failed.stderr, /out\/z is a file here, but a folder in the source\. Remove it first/);
  t.regex(failed.stderr, /out\/link is a symbolic link here, but a folder in the source/);
  t.regex(failed.stderr, /Nothing was deleted, because not everything could be copied/);
  t.deepEqual(await readdir(at('out')), ['a', 'link', 'new', 'z']);
  t.is(await read('out/z'), 'a file where the source has a folder');

  await rm(at('out/link'));
  await rm(at('out/z'));
  // A key that cannot be a file name can have no file that is deleted by mistake.
  const end = await run('sync', '--delete', 'site:', 'out');
  t.is(end.code, 1);
  t.regex(end.stderr, /odd\/\/name: it has an empty name.*2 files copied .*, 1 deleted, 1 failed/s);
  t.deepEqual(await readdir(at('out')), ['link', 'new', 'z']);
});

test('sync deletes nothing in place of what it could not read', async (t) => {
  const { must, run, put, keys, at } = await onSite(t);
  const part = '.bucketware-partial-x';
  await put({ 'album/1': '1', 'album-2': '2', photo: '3', [`${part}/1`]: '4' });
  await mkdir(at('src'));
  await symlink(at('elsewhere'), at('src/photo'));
  await symlink(at('elsewhere'), at('src/album'));
  await mkdir(at(`src/${part}`));
  await writeFile(at('src/kept'), '5');
  await must('sync', '--delete', 'src', 'site:');
  t.deepEqual(await keys(), [`${part}/1`, 'album/1', 'kept', 'photo']);
  await rm(at('src/kept'));

  // Its path is too long for the operating system, so it cannot be read.
  const name = 'n'.repeat(200);
  t.teardown(() => execFileSync('rm', ['-rf', at('src')]));
  for (let depth = 0; depth < 22; depth++) {
    await mkdir(at('outer'));
    await rename(at('src'), at(`outer/${name}`));
    await rename(at('outer'), at('src'));
  }
  await writeFile(at('src/new'), '4');
  const end = await run('sync', '--delete', 'src', 'site:');
  t.is(end.code, 1);
  t.regex(end.stderr, /The name is too long.*Nothing was deleted.*1 file copied .*, 1 failed\./s);
  t.deepEqual(await keys(), [`${part}/1`, 'album/1', 'kept', 'new', 'photo']);
});

test('sync does not delete what has changed since it was listed', async (t) => {
  const { run, put, text, read, server, at } = await onSite(t);
  await put({ old: 'listed' });
  await mkdir(at('src'));
  await writeFile(at('src/new'), '1');
  server.prependListener('request', ({ method }) => {
    if (method === 'PUT') void put({ old: 'replaced meanwhile' });
  });
  const up = await run('sync', '--delete', 'src', 'site:');
  t.is(up.code, 1);
  t.regex(up.stderr, /Not done: delete site:old: /);
  t.is(await text('old'), 'replaced meanwhile');

  await mkdir(at('out'));
  await writeFile(at('out/zoo'), 'listed');
  server.prependListener('request', ({ url }) => {
    if (url?.endsWith('/site/new')) writeFileSync(at('out/zoo'), 'written meanwhile');
  });
  const down = await run('sync', '--delete', 'site:', 'out');
  t.is(down.code, 1);
  t.regex(down.stderr, /Not done: delete out\/zoo: .* has changed meanwhile/);
  t.is(await read('out/zoo'), 'written meanwhile');
});

test('sync deletes nothing if the list of the source breaks off', async (t) => {
  const { run, put, server, at } = await onSite(t);
  // The others are folders without files.
  await put({ b: '1' });
  await put(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`m${at}/`, ''])));
  const [serve] = server.listeners('request') as ((...given: unknown[]) => void)[];
  server.removeAllListeners('request');
  server.on('request', (req, res) =>
    req.url?.includes('marker=') ? res.writeHead(403).end() : serve?.(req, res),
  );
  await mkdir(at('out'));
  await writeFile(at('out/a'), 'old');
  t.is((await run('sync', '--delete', 'site:', 'out')).code, 1);
  t.deepEqual(await readdir(at('out')), ['a', 'b']);
});

test('no command copies, replaces or deletes the files of the storage itself', async (t) => {
  const { must, run, at } = await onStorage(t);
  await must('mb', 'site');
  await writeFile(at('a'), '1');
  await writeFile(at('b'), '2');
  await must('cp', 'a', 'site:');
  await must('cp', 'a', 'site:data/records/data.mdb');
  await symlink(at('data'), at('link'));
  const end = await run('sync', '--delete', 'site:', '.');
  t.is(end.code, 1);
  t.regex(end.stderr, /data\/records belongs to the storage itself. Nothing was written there/);
  await must('rm', 'site:data/records/data.mdb');
  await must('sync', '--delete', 'site:', '.');
  t.deepEqual(await readdir(at('.')), ['a', 'data', 'link']);

  const up = await must('mv', '-r', '.', 'site:');
  t.regex(up.stderr, /Skipped data\/records\/: it belongs to the storage itself/);
  t.is((await must('ls', '-r', 'site')).stdout.match(/ a$/m)?.length, 1);
  for (const args of [
    ['mv', '-r', 'data/records', 'site:'],
    ['sync', '--delete', 'link/blobs', 'site:'],
    ['sync', '--delete', 'site:', 'data/blobs/new/folder'],
    ['cp', 'site:a', 'link/records/data.mdb'],
  ]) {
    const refused = await run(...args);
    t.is(refused.code, 2, `${args.join(' ')}: ${refused.stderr}`);
    t.regex(refused.stderr, /belongs to the storage itself/);
  }
  await must('check');
});
