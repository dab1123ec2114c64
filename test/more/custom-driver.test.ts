import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { QUICK_PLACE, temporaryDirectory } from '../drivers/fixtures.js';
import { startExample } from '../http/example-app.js';

const built = (file: string): string =>
  fileURLToPath(new URL(`../../../examples/custom-driver/dist/${file}`, import.meta.url));

test('the drivers of the example pass the suite and the crash test under node:test', async (t) => {
  const files = ['file-blobs.test.js', 'sqlite-blobs.test.js', 'crash.test.js'].map(built);
  const env = { ...process.env, TMPDIR: QUICK_PLACE };
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...files], { env });
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  t.is(code, 0, printed + errors);
  const passed = printed.match(/^ *ok \d+ - (blobs-|what resolved)/gm) ?? [];
  t.true(passed.length > 55, printed);
  t.false(/^ *not ok|# SKIP|# TODO/m.test(printed), printed);
});

test('an app with the driver of the example finds its objects again', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const body = Buffer.alloc(300_000, 'bytes in SQLite ');
  for (const opening of [1, 2]) {
    const app = await startExample('custom-driver', path);
    const bucket = `${app.origin}/storage/notes`;
    if (opening === 1) {
      t.is((await fetch(bucket, { method: 'PUT' })).status, 200);
      t.is((await fetch(`${bucket}/a`, { method: 'PUT', body })).status, 200);
      const headers = { 'x-svc-copy-source': '/notes/a' };
      t.is((await fetch(`${bucket}/b`, { method: 'PUT', headers })).status, 200);
    }
    for (const key of ['a', 'b']) {
      const found = await fetch(`${bucket}/${key}`, { headers: { range: 'bytes=1000-200999' } });
      t.is(found.status, 206);
      t.true(Buffer.from(await found.arrayBuffer()).equals(body.subarray(1000, 201_000)));
    }
    t.deepEqual(await app.stop('SIGTERM'), { code: 0, signal: null }, app.errors());
  }
  await remove();
});
