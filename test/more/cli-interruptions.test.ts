import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPartialName } from '@bucketware/client/node';
import test from 'ava';
import { onServer } from '../cli/cli.js';
import { until } from '../drivers/fixtures.js';

const MB = 1024 * 1024;

/** Delays each request with a large body, so that there is time to interrupt it. */
function slow(server: Server, milliseconds: number): void {
  const [serve] = server.listeners('request') as ((...given: unknown[]) => void)[];
  server.removeAllListeners('request');
  server.on('request', async (req, res) => {
    if (/partNumber|GET/.test(`${req.method} ${req.url}`)) await sleep(milliseconds);
    serve?.(req, res);
  });
}

test('after Ctrl-C, a second start of an upload or download continues it', async (t) => {
  const { start, must, at, storage, server } = await onServer(t);
  await must('mb', 'large');
  const data = randomBytes(80 * MB);
  await writeFile(at('file'), data);
  slow(server, 150);
  const partsOf = async () => {
    const { uploads } = await storage.listMultipartUploads({ bucket: 'large' });
    const [upload] = uploads;
    if (upload === undefined) return [];
    const { key, uploadId } = upload;
    return (await storage.listParts({ bucket: 'large', key, uploadId })).parts;
  };
  const first = start(['cp', 'file', 'large:']);
  await until(async () => (await partsOf()).length >= 4);
  first.child.kill('SIGINT');
  const stopped = await first.ended;
  t.is(stopped.code, 130, stopped.stderr);
  t.regex(stopped.stderr, /run the same command again/);
  const kept = (await partsOf()).length;
  t.true(kept >= 4 && kept < 10);
  t.deepEqual((await storage.listObjects({ bucket: 'large' })).contents, []);

  let received = 0;
  server.on('request', (req) => {
    if (req.method === 'PUT') received++;
  });
  await must('cp', 'file', 'large:');
  // Parts that were being sent may have arrived after they were counted.
  t.true(received > 0 && received <= 10 - kept, `${received} of ${10 - kept} parts`);
  t.true(data.equals(await (await storage.getObject({ bucket: 'large', key: 'file' })).bytes()));

  const download = start(['cp', 'large:file', 'copy']);
  const part = async () => (await readdir(at('.'))).find(isPartialName);
  await until(async () => (await part()) !== undefined);
  download.child.kill('SIGINT');
  t.is((await download.ended).code, 130);
  const skipping = await must('sync', '--delete', '.', 'large:folder');
  t.regex(skipping.stderr, /Skipped \.bucketware-partial-[\w-]+: it is an incomplete download/);
  await must('cp', 'large:file', 'copy');
  t.true(data.equals(await readFile(at('copy'))));
  t.is(await part(), undefined);
  await rm(at('copy'));
});

test('a client waits for a server that restarts during a transfer', async (t) => {
  const { start, must, at, storage, server } = await onServer(t);
  await must('mb', 'large');
  const data = randomBytes(40 * MB);
  await writeFile(at('file'), data);
  slow(server, 100);
  const { port } = server.address() as { port: number };
  const upload = start(['cp', 'file', 'large:']);
  await until(
    async () => (await storage.listMultipartUploads({ bucket: 'large' })).uploads.length > 0,
  );
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await sleep(300);
  server.listen(port, '127.0.0.1');
  const { code, stderr } = await upload.ended;
  t.is(code, 0, stderr);
  t.true(data.equals(await (await storage.getObject({ bucket: 'large', key: 'file' })).bytes()));
});

test('a file that changes while it is uploaded is reported by name, and replaces nothing', async (t) => {
  const { start, must, at, storage, server } = await onServer(t);
  await must('mb', 'large');
  await storage.putObject({ bucket: 'large', key: 'file', body: 'before' });
  await writeFile(at('file'), randomBytes(40 * MB));
  slow(server, 100);
  const upload = start(['cp', 'file', 'large:']);
  await until(
    async () => (await storage.listMultipartUploads({ bucket: 'large' })).uploads.length > 0,
  );
  await appendFile(at('file'), 'more');
  const { code, stderr } = await upload.ended;
  t.is(code, 1);
  t.regex(stderr, /file has changed during the upload/);
  t.is(await (await storage.getObject({ bucket: 'large', key: 'file' })).text(), 'before');
  t.deepEqual((await storage.listMultipartUploads({ bucket: 'large' })).uploads, []);
});

test('a server that does not respond, and a caller without permission, are reported clearly', async (t) => {
  const { run, must, at, storage, start } = await onServer(t);
  await must('mb', 'mine');
  await writeFile(at('file'), 'x');
  const header = { headers: { authorization: 'Bearer bob' } };
  const config = JSON.parse(await readFile(at('store.json'), 'utf8')) as object;
  await writeFile(at('bob.json'), JSON.stringify({ ...config, ...header }));
  const refused = await run('cp', '-r', '.', 'mine:', '-s', 'bob.json');
  t.is(refused.code, 1);
  t.regex(refused.stderr, /access/i);
  t.deepEqual((await storage.listObjects({ bucket: 'mine' })).contents, []);
  const silent = createServer().listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const waiting = start(['ls', '-s', `http://127.0.0.1:${port}/`]);
  const [socket] = await once(silent, 'connection');
  waiting.child.kill('SIGINT');
  t.is((await waiting.ended).code, 130);
  socket.destroy();
});
