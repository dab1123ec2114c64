import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { LargeUpload } from '../client/large-upload.js';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { startExample } from '../http/example-app.js';

const MIB = 1024 * 1024;

test('an upload of 1 GiB in parts takes little memory; its speed is printed', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const app = await startExample('express-app', path);
  t.teardown(async () => {
    await app.stop('SIGTERM');
    await remove();
  });
  const program = fileURLToPath(new URL('../client/large-upload.js', import.meta.url));
  const env = { ...process.env, ENDPOINT: `${app.origin}/storage` };
  const [result] = (await once(fork(program, { env }), 'message')) as [LargeUpload];
  const { rawSeconds, uploadSeconds, grown, etag } = result;
  t.log(`raw PUT ${rawSeconds.toFixed(2)} s, upload in parts ${uploadSeconds.toFixed(2)} s`);
  t.log(`ratio ${(rawSeconds / uploadSeconds).toFixed(2)}, memory ${Math.round(grown / MIB)} MiB`);
  t.regex(etag, /^-/);
  t.true(grown < 256 * MIB, `${Math.round(grown / MIB)} MiB`);
});
