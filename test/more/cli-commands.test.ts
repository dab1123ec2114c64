import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProgram } from '@bucketware/cli';
import test from 'ava';
import { MAIN, onServer } from '../cli/cli.js';

test('buckets and objects are created, listed, copied, moved and removed', async (t) => {
  const { must, run, start, at, read } = await onServer(t);
  await must('mb', 'notes');
  await writeFile(at('a.txt'), 'hello');
  await must('cp', '-r', 'a.txt', 'notes:');
  await must(
    'cp',
    'a.txt',
    'notes:sub/b.html',
    '--metadata',
    'By=Ann',
    '--cache-control',
    'no-store',
  );
  const piped = await start(['cp', '-', 'notes:piped'], { input: 'from a pipe' }).ended;
  t.is(piped.code, 0, piped.stderr);
  t.is((await must('cp', 'notes:piped', '-')).stdout, 'from a pipe');
  await must('cp', 'notes:a.txt', 'notes:copy/');
  await must('mv', 'notes:piped', 'notes:moved');
  await must('mv', 'a.txt', 'notes:from-here');
  await must('mv', 'notes:from-here', 'back.txt');
  t.is(await read('back.txt'), 'hello');
  t.false((await readdir(at('.'))).includes('a.txt'));

  const listed = await must('ls', 'notes', '--json');
  t.deepEqual(
    listed.lines.map(({ key, prefix, size }) => prefix ?? `${key} ${size}`),
    ['a.txt 5', 'copy/', 'moved 11', 'sub/'],
  );
  t.like((await must('ls', '--json')).lines[0], { name: 'notes' });
  const used = (await must('usage', 'notes', '-f', '--json')).lines;
  t.like(used.at(-1), { bucket: 'notes', objects: 4, bytes: 26 });
  t.like(used[0], { prefix: 'copy/', objects: 1, bytes: 5 });

  t.is((await run('rb', 'notes')).code, 1);
  await must('rm', 'notes:a.txt', 'notes:moved');
  t.is((await must('rm', '-r', '-n', 'notes:sub')).stdout, 'Would delete notes:sub/b.html\n');
  await must('rm', '-r', 'notes:copy');
  t.deepEqual(
    (await must('ls', '-r', 'notes', '--json')).lines.map(({ key }) => key),
    ['sub/b.html'],
  );
  await must('rb', '--force', 'notes');
  t.is((await must('ls')).stdout, '');
});

test('failures print a clear message and set an exit code', async (t) => {
  const { must, run, at } = await onServer(t);
  await must('mb', 'notes');
  await mkdir(at('folder'));
  const failures: [args: string[], code: number, words: RegExp][] = [
    [['ls', '-s', 'mistyped'], 2, /There is no storage in mistyped/],
    [['ls', '-s', 'no.json'], 2, /There is no config file no\.json/],
    [['ls', 'nowhere'], 1, /no bucket|does not exist/i],
    [['cp', 'absent', 'notes:'], 1, /absent: It does not exist/],
    [['cp', 'notes:absent', '.'], 1, /There is no object notes:absent/],
    [['cp', 'folder', 'notes:'], 2, /folder is a directory. Add -r/],
    [['cp', 'a', 'b'], 2, /Neither place is in the storage/],
    [['cp', 'a', 'My_Notes:'], 2, /A bucket name has 3 to 63 lowercase letters/],
    [['mb', 'My_Notes'], 2, /A bucket name has 3 to 63 lowercase letters/],
    [['rm', 'notes:absent'], 1, /no object/i],
    [['rm', 'notes:folder/'], 2, /Add -r/],
    [['presign', 'notes:a'], 2, /BUCKETWARE_ACCESS_KEY/],
    [['scrub'], 2, /scrub needs direct access to the storage/],
    [['sync', 'absent', 'notes:'], 1, /absent: It does not exist/],
    [['rm', '--everything'], 2, /unknown option/],
    [['constantinople'], 2, /unknown command/],
    [['ls', '-s', 'http://127.0.0.1:1', '--header', 'nonsense'], 2, /Name: value/],
  ];
  for (const [args, code, words] of failures) {
    const end = await run(...args);
    t.is(end.code, code, `${args.join(' ')}: ${end.stderr}`);
    t.regex(end.stderr, words);
  }
  t.false((await readdir(at('.'))).includes('mistyped'));
  const asJson = await run('ls', 'nowhere', '--json');
  t.is(JSON.parse(asJson.stderr).error.code, 'NoSuchBucket');
});

test('output that cannot be written is a failure, and a reader that stops is none', async (t) => {
  const { must, at, path } = await onServer(t);
  await must('mb', 'notes');
  await writeFile(at('large'), Buffer.alloc(4_000_000, 'large\n'));
  await must('cp', 'large', 'notes:');
  const shell = (line: string) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = { ...process.env, BUCKETWARE_STORE: 'store.json', NODE_V8_COVERAGE: '' };
      const command = `set -o pipefail; ${line}`;
      execFile('bash', ['-c', command, process.execPath, MAIN], { cwd: path, env }, (e, out, err) =>
        resolve({ code: Number(e?.code ?? 0), out, err }),
      );
    });
  const full = await shell('"$0" "$1" cp notes:large - >/dev/full');
  t.is(full.code, 1);
  t.regex(full.err, /^bucketware: The output could not be written: ENOSPC/);
  t.notRegex(full.err, /\n\s+at /);
  t.deepEqual(await shell('"$0" "$1" cp notes:large - | head -n 1'), {
    code: 0,
    out: 'large\n',
    err: '',
  });
});

test('every command has help with examples, and shells can complete it', async (t) => {
  const { must } = await onServer(t);
  const { stdout } = await must('--help');
  for (const name of ['serve', 'sync', 'backup', 'rb'])
    t.true(stdout.includes(`\n  ${name} [options] `));
  const commands = createProgram().commands.flatMap((one) => [one, ...one.commands]);
  const own = commands.filter((one) => one.commands.length === 0 && one.name() !== 'complete');
  t.true(own.length > 17);
  for (const one of own) {
    let help = '';
    const writeOut = (text: string) => {
      help += text;
    };
    one.configureOutput({ writeOut }).outputHelp();
    t.true(help.includes('Examples:\n  $ bucketware '), one.name());
  }
  t.regex((await must('complete', 'bash')).stdout, /bucketware/);
  t.regex((await must('complete', '--', 'sy')).stdout, /^sync\t/m);
});

test('many small files are copied in both directions, without other output', async (t) => {
  const { must, at, read } = await onServer(t);
  await must('mb', 'many');
  await mkdir(at('in'));
  for (let i = 0; i < 40; i++) await writeFile(at(`in/${i}`), 'ä'.repeat(i));
  // With more listeners for one signal, Node would print a warning.
  t.is((await must('cp', '-r', 'in', 'many:', '-c', '32')).stderr, '40 files copied (1.6 KB).\n');
  await must('cp', '-r', 'many:', 'out');
  t.is(await read('out/39'), 'ä'.repeat(39));
  t.is((await must('cp', '-r', 'in', 'many:')).stderr, '0 files copied (0 B), 40 unchanged.\n');
});

test('a small file that changes before it is read is uploaded in its new state', async (t) => {
  const { must, at, server } = await onServer(t);
  await must('mb', 'notes');
  await writeFile(at('log'), 'one\n');
  server.prependListener('request', ({ method }) => {
    if (method === 'GET') appendFileSync(at('log'), 'two\n');
  });
  await must('cp', 'log', 'notes:');
  t.is((await must('cp', 'notes:log', '-')).stdout, 'one\ntwo\n');
});

test('a backslash is part of a name', async (t) => {
  const { must, at, read, storage } = await onServer(t);
  await must('mb', 'notes');
  await writeFile(at('a\\b.txt'), 'data');
  await must('cp', 'a\\b.txt', 'notes:folder/');
  const { contents } = await storage.listObjects({ bucket: 'notes' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['folder/a\\b.txt'],
  );
  await must('mv', 'notes:folder/a\\b.txt', 'c\\d.txt');
  t.is(await read('c\\d.txt'), 'data');
});

test('cp keeps the permissions of the file that it replaces', async (t) => {
  const { must, at, read, storage } = await onServer(t);
  await must('mb', 'notes');
  for (const [key, body] of Object.entries({ small: 'new', large: 'x'.repeat(1_100_000) })) {
    await storage.putObject({ bucket: 'notes', key, body });
    await writeFile(at(key), 'old', { mode: 0o600 });
    await must('cp', `notes:${key}`, '.');
    t.is(await read(key), body);
    t.is((await stat(at(key))).mode & 0o777, 0o600);
  }
});

test('cp and mv do not replace a pipe, or a link like /dev/stdout', async (t) => {
  const { must, run, at, storage } = await onServer(t);
  await must('mb', 'notes');
  execFileSync('mkfifo', [at('pipe')]);
  await symlink('pipe', at('link'));
  await symlink('/proc/self/exe', at('stdout')); // Leads to a file, as /dev/stdout does after `> file`.
  for (const body of ['small', 'x'.repeat(1_100_000)]) {
    await storage.putObject({ bucket: 'notes', key: 'key', body });
    for (const [command, name] of [
      ['cp', 'pipe'],
      ['mv', 'link'],
      ['mv', 'stdout'],
    ] as const) {
      const { code, stderr } = await run(command, 'notes:key', name);
      t.is(code, 1);
      t.regex(stderr, /is a device, a pipe or a socket. A download replaces only files/);
    }
  }
  t.true((await lstat(at('pipe'))).isFIFO());
  t.is(await readlink(at('link')), 'pipe');
  t.is(await readlink(at('stdout')), '/proc/self/exe');
  t.deepEqual((await readdir(at('.'))).sort(), ['link', 'pipe', 'stdout', 'store.json']);
  t.is((await storage.listObjects({ bucket: 'notes' })).contents.length, 1);
});

test('a login page in front of the storage is reported as such', async (t) => {
  const { run } = await onServer(t);
  const login = createServer((_, res) => res.writeHead(302, { location: '/login' }).end('Moved'));
  await once(login.listen(0, '127.0.0.1'), 'listening');
  const { port } = login.address() as AddressInfo;
  const end = await run('ls', '-s', `http://127.0.0.1:${port}`);
  login.close();
  t.is(end.code, 1);
  t.regex(end.stderr, /not logged in.*Give an access key or a --header/);
});

test('keys cannot leave the target, follow links in it, or move the cursor', async (t) => {
  const { must, run, at, read, storage } = await onServer(t);
  await must('mb', 'odd');
  await mkdir(at('out/inner'), { recursive: true });
  await mkdir(at('elsewhere'));
  await writeFile(at('safe'), 'x');
  const part = '.Bucketware-partial-x';
  const odd = ['../../x', 'a/../b', '/etc/x', 'a//b', './c', 'fine/\u001b[31mred', 'link/x', part];
  for (const key of odd) await storage.putObject({ bucket: 'odd', key, body: 'x' });
  await must('cp', 'safe', 'odd:a/');
  await symlink(at('elsewhere'), at('out/link'));
  const end = await run('cp', '-r', 'odd:', 'out');
  t.is(end.code, 1);
  for (const key of ['../../x', 'a/../b', '/etc/x', 'a//b', './c', 'link/x', part]) {
    t.true(end.stderr.includes(`odd:${key}: `), `${key}: ${end.stderr}`);
  }
  t.regex(end.stderr, /7 files could not be processed/);
  t.is(await read('out/a/safe'), 'x');
  t.is(await read('out/fine/\u001b[31mred'), 'x');
  t.deepEqual(await readdir(at('elsewhere')), []);
  t.deepEqual((await readdir(at('.'))).sort(), ['elsewhere', 'out', 'safe', 'store.json']);
  for (const args of [
    ['ls', '-r', 'odd'],
    ['usage', 'odd:fine/\u001b[31mred/'],
    ['rm', '-r', '-n', 'odd'],
    ['cp', '-n', 'odd:fine/\u001b[31mred', 'copy'],
    ['sync', '-n', 'odd:fine/', 'other'],
  ]) {
    const { stdout } = await must(...args);
    t.true(stdout.includes('\\x1b[31mred'), args[0]);
    t.false(stdout.includes('\u001b'), args[0]);
  }
  const failed = await run('cp', '--json', 'odd:\u009b31m', 'copy');
  t.true(failed.stderr.includes('\\u009b31m'), failed.stderr);
  t.false(failed.stderr.includes('\u009b'));
});
