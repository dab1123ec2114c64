import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import test from 'ava';
import { onStorage } from '../cli/cli.js';
import { until } from '../drivers/fixtures.js';

const exec = promisify(execFile);
const MB = 1024 * 1024;

test('a storage is served with its own key, including links and S3', async (t) => {
  const { start, at, path } = await onStorage(t);
  const server = start(['serve', 'data', '--port', '0', '--json']);
  await until(() => server.printed.stdout.includes('\n'));
  const { url, s3, accessKey, secret } = JSON.parse(server.printed.stdout) as Record<
    string,
    string
  >;
  const env = {
    BUCKETWARE_STORE: String(url),
    BUCKETWARE_ACCESS_KEY: String(accessKey),
    BUCKETWARE_SECRET: String(secret),
  };
  const on = (...args: string[]) => start(args, { env }).ended;
  t.is((await on('mb', 'photos')).code, 0);
  await writeFile(at('a b.txt'), 'linked');
  t.is((await on('cp', path, 'photos:', '-r', '-n')).code, 0);
  t.is((await on('cp', 'a b.txt', 'photos:')).code, 0);
  const link = await on('presign', 'photos:a b.txt', '--expires', '1m', '--json');
  t.is(await (await fetch(link.lines[0]?.url as string)).text(), 'linked');
  t.is((await fetch(`${url}/photos/a%20b.txt`)).status, 403);
  t.is((await fetch(`${s3}/photos/a%20b.txt`)).status, 403);
  const wrong = { ...env, BUCKETWARE_SECRET: 'wrong' };
  const refused = await start(['ls'], { env: wrong }).ended;
  t.is(refused.code, 1);
  t.regex(refused.stderr, /signature/i);
  server.child.kill('SIGTERM');
  t.is((await server.ended).code, 0, server.printed.stderr);
  const everywhere = await start(['serve', 'data', '--open', '--host', '0.0.0.0']).ended;
  t.is(everywhere.code, 2);
});

test('an open storage responds only to its own host names', async (t) => {
  const { start } = await onStorage(t);
  const publicUrl = 'https://files.example';
  const options = ['--port', '0', '--open', '--json', '--public-url', publicUrl];
  const server = start(['serve', 'data', ...options]);
  await until(() => server.printed.stdout.includes('\n'));
  const { url } = JSON.parse(server.printed.stdout) as { url: string };
  const { port } = new URL(url);
  const ask = async (host: string, path = '/storage/') => {
    const outgoing = request({
      port,
      host: '127.0.0.1',
      path,
      headers: { host },
      agent: false,
    }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return [response.statusCode, await text(response)] as const;
  };
  for (const host of ['127.0.0.1', `localhost:${port}`, 'LOCALHOST:1', '[::1]', 'files.example'])
    t.is((await ask(host))[0], 200, host);
  t.is((await ask('localhost', 'http://localhost/storage/'))[0], 400);
  for (const host of [`evil.example:${port}`, 'localhost.evil.example', '127.0.0.2']) {
    const [status, said] = await ask(host);
    t.is(status, 403, host);
    t.regex(said, /is available only at 127\.0\.0\.1, localhost/);
  }
  t.is((await ask('localhost', 'http://evil.example/storage/'))[0], 403);
  t.is((await ask('evil.example', '/s3/'))[0], 403);
  server.child.kill('SIGTERM');
  t.is((await server.ended).code, 0, server.printed.stderr);
});

test('check and scrub find damage; backup, restore and move preserve intact data', async (t) => {
  const { must, run, at } = await onStorage(t);
  await must('mb', 'notes');
  await mkdir(at('src'));
  for (const name of ['a', 'b']) await writeFile(at(`src/${name}`), Buffer.alloc(MB, name));
  await writeFile(at('src/small'), 'small');
  await must('cp', '-r', 'src', 'notes:');
  t.like((await must('ls', '--json')).lines[0], { name: 'notes', owner: 'system:system' });
  t.like((await must('check', '--json')).lines[0], { objects: 3, blobs: 2, missing: [] });
  t.like((await must('backup', 'saved', '--json')).lines[0], { blobs: 2, missing: [] });
  t.regex((await must('sweep')).stdout, /^Removed \d+ entr/);
  t.is((await must('lifecycle', 'explain', 'notes:a')).stdout, 'No rule will remove the object.\n');

  const blobs = await readdir(at('data/blobs'), { recursive: true, withFileTypes: true });
  const blob = blobs.find((entry) => entry.isFile() && /^[0-9a-f]{32}$/.test(entry.name));
  await rm(`${blob?.parentPath}/${blob?.name}`);
  const checked = await run('check');
  t.is(checked.code, 1);
  t.true(checked.stderr.includes(`Missing: ${blob?.name}`));
  const scrubbed = await run('scrub', '--json');
  t.is(scrubbed.code, 1);
  t.like(scrubbed.lines[0], { found: 1 });

  const restored = await must('restore', 'saved', 'again', '--json');
  t.like(restored.lines[0], { blobs: 2, verified: { objects: 3, found: 0 } });
  await writeFile(at('other.json'), '{"directory":"other","metadata":"sqlite:other.db"}');
  t.is((await must('move', 'again', 'other.json')).code, 0);
  t.is((await must('cp', 'notes:small', '-', '-s', 'other.json')).stdout, 'small');
  t.is((await run('restore', 'saved', 'again')).code, 1);
});

test('a full disk is reported clearly, and existing data stays', async (t) => {
  const { must, run, at, read } = await onStorage(t);
  await must('mb', 'notes');
  await writeFile(at('large'), Buffer.alloc(6 * MB, 'x'));
  await must('cp', 'large', 'notes:');
  await mkdir(at('small-disk'));
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', at('small-disk')]);
  } catch (error) {
    t.log(`Skipped: no small disk can be mounted here: ${(error as Error).message.trim()}`);
    return t.pass();
  }
  try {
    await writeFile(at('small-disk/large'), 'before');
    const { code, stderr } = await run('cp', 'notes:large', 'small-disk/');
    t.is(code, 1);
    t.regex(stderr, /The disk is full/);
    t.is(await read('small-disk/large'), 'before');
  } finally {
    await exec('umount', ['-l', at('small-disk')]);
  }
});
