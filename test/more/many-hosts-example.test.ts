import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CEPH_PROGRAMS, freePort, missing } from '@bucketware/example-many-hosts/services';
import test from 'ava';
import { eventually } from '../drivers/fixtures.js';

const program = fileURLToPath(
  new URL('../../../examples/many-hosts/dist/main.js', import.meta.url),
);

test('the example with many hosts starts with one command, survives the kill of a host, and ends', async (t) => {
  t.timeout(5 * 60_000);
  const lacking = await missing('postgres', 'initdb', 'nginx', ...CEPH_PROGRAMS);
  if (lacking !== undefined) {
    t.log(`SKIPPED: ${lacking}.`);
    return t.pass();
  }
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const app = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(app, 'exit');
  t.teardown(() => app.kill('SIGKILL'));
  const hosts: number[] = [];
  const lines = createInterface(app.stdout);
  lines.on('line', (line) => {
    const pid = /^ {2}kill -9 (\d+)$/.exec(line)?.[1];
    if (pid !== undefined) hosts.push(Number(pid));
  });
  while (hosts.length < 3 && app.exitCode === null) await sleep(50);
  t.is(app.exitCode, null);

  const headers = { authorization: 'Bearer alice' };
  const url = `http://127.0.0.1:${port}`;
  const send = (method: string, path: string, body?: string) =>
    fetch(`${url}/storage${path}`, { method, headers, ...(body && { body }) });
  await eventually(async () => {
    if (!(await fetch(`${url}/health`)).ok) throw new Error('nginx does not answer yet.');
  });
  t.is((await send('PUT', '/notes')).status, 200);
  const large = 'large '.repeat(50_000);
  t.is((await send('PUT', '/notes/a//b', large)).status, 200);
  process.kill(hosts[0] as number, 'SIGKILL');
  for (let count = 0; count < 6; count++) {
    t.is(await (await send('GET', '/notes/a//b')).text(), large);
  }
  await eventually(async () => {
    if (hosts.length < 4) throw new Error('The host has not started again.');
  });
  t.is((await send('PUT', '/notes/again', 'text')).status, 200);
  t.deepEqual(await (await fetch(`${url}/health`)).json(), {
    ok: true,
    records: true,
    blobs: true,
  });
  app.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
});
