import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import { onServer } from '../cli/cli.js';

/** Other systems create no such files. */
const onLinux = process.platform === 'linux' ? test : test.skip;

const sorted = async (path: string) => {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return files.map((entry) => `${entry.parentPath.slice(path.length)}/${entry.name}`).sort();
};

test('a directory without files, such as that of a disk that is not mounted, deletes nothing', async (t) => {
  const { run, must, at, storage } = await onServer(t);
  await must('mb', 'mirror');
  await storage.putObject({ bucket: 'mirror', key: 'old', body: 'old' });
  await mkdir(at('mnt/lost+found'), { recursive: true });
  const { code, stderr } = await run('sync', '--delete', 'mnt', 'mirror:');
  t.not(code, 0);
  t.regex(stderr, /mnt contains no files\. Nothing was deleted\./);
  t.is((await storage.listObjects({ bucket: 'mirror' })).contents.length, 1);
  await must('sync', 'mnt', 'mirror:');
  // What is skipped is not a file of the source either.
  await writeFile(at('mnt/.bucketware-partial-abc'), '');
  await symlink('lost+found', at('mnt/current'));
  t.regex((await run('sync', '--delete', 'mnt', 'mirror:')).stderr, /Nothing was deleted\./);
  t.is((await storage.listObjects({ bucket: 'mirror' })).contents.length, 1);
  await must('mb', 'empty');
  await must('sync', 'mirror:', 'copy');
  for (const source of ['empty:', 'mirror:mistyped']) {
    const { code, stderr } = await run('sync', '--delete', source, 'copy');
    t.not(code, 0);
    t.regex(stderr, /contains no files\. Nothing was deleted\./);
  }
  t.deepEqual(await sorted(at('copy')), ['/old']);
});

test('sync neither uploads nor deletes the config file that it uses', async (t) => {
  const { run, must, at, storage } = await onServer(t);
  await must('mb', 'mirror');
  await mkdir(at('work'));
  await writeFile(at('work/a'), 'a');
  await rename(at('store.json'), at('work/store.json'));
  const sync = (...args: string[]) =>
    run('sync', '--delete', ...args, '--store', 'work/store.json');
  for (const args of [
    ['work', 'mirror:'],
    ['mirror:', 'work'],
  ]) {
    const { code, stderr } = await sync(...args);
    t.is(code, 0, stderr);
  }
  t.deepEqual(await sorted(at('work')), ['/a', '/store.json']);
  const { contents } = await storage.listObjects({ bucket: 'mirror' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['a'],
  );
});

onLinux('a file whose name is not UTF-8 is reported, and nothing is deleted', async (t) => {
  const { run, must, at, storage } = await onServer(t);
  await must('mb', 'mirror');
  await storage.putObject({ bucket: 'mirror', key: 'old', body: 'old' });
  await mkdir(at('src'));
  await writeFile(at('src/good'), 'good');
  await writeFile(
    Buffer.concat([Buffer.from(at('src/M')), Buffer.from([0xfc]), Buffer.from('ller')]),
    'x',
  );
  for (const args of [
    ['sync', '--delete'],
    ['cp', '-r'],
    ['mv', '-r'],
  ]) {
    const { code, stderr } = await run(...args, 'src', 'mirror:');
    t.is(code, 1);
    t.regex(stderr, /Not done: .*M\ufffdller.*: Its name is not UTF-8\. Rename it\./);
    const { contents } = await storage.listObjects({ bucket: 'mirror' });
    t.deepEqual(
      contents.map(({ key }) => key),
      ['good', 'old'],
    );
  }
  t.is((await readdir(at('src'), { encoding: 'buffer' })).length, 1);
});

onLinux('a name with U+FFFD that is UTF-8 is a name as any other', async (t) => {
  const { must, at, storage } = await onServer(t);
  await must('mb', 'mirror');
  await mkdir(at('src/dir\ufffd'), { recursive: true });
  await writeFile(at('src/dir\ufffd/M\ufffdller'), 'data');
  await must('sync', 'src', 'mirror:');
  await must('sync', '--delete', 'mirror:', 'copy');
  await must('sync', '--delete', 'mirror:', 'copy');
  t.deepEqual(await sorted(at('copy')), ['/dir\ufffd/M\ufffdller']);
  const { contents } = await storage.listObjects({ bucket: 'mirror' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['dir\ufffd/M\ufffdller'],
  );
  await must('mv', '-r', 'copy', 'mirror:moved/');
  t.deepEqual(await sorted(at('copy')), []);
});

test('sync copies new and changed files in both directions, and deletes only on request', async (t) => {
  const { must, run, at, read } = await onServer(t);
  await must('mb', 'mirror');
  const files = { 'a.txt': '1', 'a/b': '2', 'a/c/d': '3', 'a-b': '4', é: '5', '你/x': '6' };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(`src/${name}`)), { recursive: true });
    await writeFile(at(`src/${name}`), text);
    await utimes(at(`src/${name}`), 1e9, 1e9);
  }
  await symlink('/etc', at('src/link'));
  const first = await must('sync', 'src', 'mirror:deep', '--json');
  t.like(first.lines[0], { copied: 6, same: 0, failed: [] });
  t.regex(first.stderr, /Skipped link: symbolic links are not followed/);
  t.like((await must('sync', 'src', 'mirror:deep', '--json')).lines[0], { copied: 0 });

  await writeFile(at('src/a/b'), 'longer');
  await rm(at('src/a.txt'));
  t.is(
    (await must('sync', '-n', '--delete', 'src', 'mirror:deep')).stdout,
    `Would upload src/a/b to mirror:deep/a/b\nWould delete mirror:deep/a.txt\n`,
  );
  t.like((await must('sync', 'src', 'mirror:deep', '--json')).lines[0], { copied: 1, deleted: 0 });

  const down = await must('sync', 'mirror:deep', 'out', '--json');
  t.like(down.lines[0], { copied: 6 });
  t.is(await read('out/a/b'), 'longer');
  t.like((await must('sync', 'mirror:deep', 'out', '--json')).lines[0], { copied: 0 });
  t.like((await must('sync', 'out', 'mirror:deep', '--json')).lines[0], { copied: 0, same: 0 });

  // The size is the same and the time is older, so only the data shows the change.
  await writeFile(at('out/a-b'), '9');
  await utimes(at('out/a-b'), 1, 1);
  t.like((await must('sync', 'out', 'mirror:deep', '--json')).lines[0], { copied: 0 });
  const summed = await must('sync', '--checksum', 'out', 'mirror:deep', '--json');
  t.like(summed.lines[0], { copied: 1, same: 5 });

  t.like((await must('sync', 'mirror:deep', 'mirror:copy', '--json')).lines[0], { copied: 6 });
  await must('cp', 'src/a-b', 'mirror:copy/a-b');
  const within = await must('sync', '--checksum', 'mirror:deep', 'mirror:copy', '--json');
  t.like(within.lines[0], { copied: 1, same: 5 });

  await must('rm', 'mirror:deep/a.txt');
  t.like((await must('sync', '--delete', 'mirror:deep', 'out', '--json')).lines[0], { deleted: 1 });
  t.deepEqual(await sorted(at('out')), ['/a-b', '/a/b', '/a/c/d', '/é', '/你/x']);
  t.is((await run('sync', '--delete', 'mirror:mistyped', 'out')).code, 2);
  t.is((await sorted(at('out'))).length, 5);
});

test('a directory with many files is copied, and a second start copies only the rest', async (t) => {
  const { must, start, at } = await onServer(t);
  await must('mb', 'many');
  await mkdir(at('src'));
  const names = Array.from({ length: 300 }, (_, index) => `${index}.txt`);
  for (const name of names) await writeFile(at(`src/${name}`), name.repeat(50));
  await must('cp', '-r', 'src', 'many:');
  await must('rm', 'many:7.txt', 'many:299.txt');
  await writeFile(at('src/8.txt'), '9.txt'.repeat(50));
  t.like((await must('cp', '-r', 'src', 'many:', '--json')).lines[0], { copied: 3, same: 297 });
  await must('cp', '-r', 'many:', 'out');
  const listing = start(['ls', '-r', 'many']);
  listing.child.stdout.destroy(); // Closes the output early, like `head`.
  t.deepEqual([(await listing.ended).code, listing.printed.stderr], [0, '']);
  t.is((await sorted(at('out'))).length, 300);
  t.like((await must('cp', '-r', 'many:', 'out', '--json')).lines[0], { copied: 0, same: 300 });
});

// The client chooses larger parts from 256 MiB on, and ETags depend on the parts.
test('a file of more than 256 MiB is copied once, and mv removes it', async (t) => {
  const { must, at, storage } = await onServer(t);
  await must('mb', 'films');
  const size = 256 * 1024 * 1024 + 1;
  await writeFile(at('film'), 'start');
  await truncate(at('film'), size);
  const copied = async (...args: string[]) =>
    (await must('cp', '--json', ...args)).lines[0]?.copied;
  t.is(await copied('film', 'films:'), 1);
  t.is(await copied('film', 'films:'), 0);
  t.is(await copied('films:film', 'copy'), 1);
  t.is(await copied('films:film', 'copy'), 0);
  await must('mv', 'copy', 'films:moved');
  t.is((await storage.getObjectMeta({ bucket: 'films', key: 'moved' })).size, size);
  await t.throwsAsync(readFile(at('copy')), { code: 'ENOENT' });
});
