import { once } from 'node:events';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { startExample } from './example-app.js';
import { call } from './raw.js';

const ANSWERS = 200;

test('cluster-app: processes share a storage, and killing one loses nothing', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const app = await startExample('cluster-app', path, { WORKERS: '2' });
  t.teardown(async () => {
    await app.stop('SIGKILL');
    await remove();
  });
  const { origin } = app;
  const someProcess = async (): Promise<number> =>
    JSON.parse((await call(origin, 'GET', '/')).text).process;
  const processes = new Set<number>();
  for (let look = 0; look < ANSWERS && processes.size < 2; look++)
    processes.add(await someProcess());
  t.is(processes.size, 2);

  t.is((await call(origin, 'PUT', '/storage/shared')).status, 200);
  for (let index = 0; index < 4; index++) {
    const { status } = await call(origin, 'PUT', `/storage/shared/${index}`, { body: `${index}` });
    t.is(status, 200);
  }
  const [killed = 0] = processes;
  const noticed = once(app.process.stderr as NodeJS.ReadableStream, 'data');
  process.kill(killed, 'SIGKILL');
  await noticed;
  for (let index = 0; index < 4; index++) {
    t.is((await call(origin, 'GET', `/storage/shared/${index}`)).text, `${index}`);
  }
  const later = new Set<number>();
  while (later.size < 2) later.add(await someProcess());
  t.false(later.has(killed), 'another process has taken its place');

  t.deepEqual(await app.stop('SIGTERM'), { code: 0, signal: null });
});

test('cluster-app: an invalid number of processes is rejected', async (t) => {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  await t.throwsAsync(startExample('cluster-app', path, { WORKERS: 'many' }), {
    message: /WORKERS is the number of processes/,
  });
});
