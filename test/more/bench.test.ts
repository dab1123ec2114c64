import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const MAIN = fileURLToPath(new URL('../../../bench/dist/main.js', import.meta.url));

/** Runs the benchmark with an empty directory for its data. It should be empty again afterwards. */
async function bench(...args: string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-test-'));
  const env = { ...process.env, TMPDIR: directory };
  const child = spawn(process.execPath, [MAIN, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let errors = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const left = await readdir(directory);
  await rm(directory, { recursive: true });
  return { code, printed, errors, left };
}

test('a quick run of one scenario measures its servers, writes a report and leaves nothing', async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'bench-report-'));
  t.teardown(() => rm(out, { recursive: true }));
  const { code, printed, errors, left } = await bench(
    ...['--quick', '--no-peers', '--out', out, '--note', 'Only a test.'],
    ...['--only', 'get-1k,rename', '--servers', 'koa,sketch'],
  );
  t.is(code, 0, errors);
  t.deepEqual(left, []);

  const { results, targets } = JSON.parse(await readFile(join(out, 'performance.json'), 'utf8'));
  const names = ['koa', 'sketch'];
  t.deepEqual(
    results.map(({ name, series }: { name: string; series: { name: string }[] }) => [
      name,
      series.map((one) => one.name),
    ]),
    [
      ['get-1k', names],
      ['rename', ['small', 'large']],
    ],
  );
  for (const { series } of results) {
    for (const { samples } of series) t.true(samples.length === 1 && samples[0] > 0);
  }
  const measured = targets.filter(({ met }: { met?: boolean }) => met !== undefined);
  t.deepEqual(
    measured.map(({ what }: { what: string }) => what),
    ['GET of 1 KiB on Koa, relative to the sketch', 'rename of 512 MiB, relative to 1 KiB'],
  );
  const document = await readFile(join(out, 'performance.md'), 'utf8');
  t.true(document.includes(printed.trim()));
  t.regex(document, /Only a test\.[\s\S]*\| Bucketware on Koa \| [\d,]+\/s \|/);
  t.regex(await readFile(join(out, 'performance.svg'), 'utf8'), /^<svg [\s\S]*Bucketware on Koa/);
});

test('an unknown name is rejected with a list of known names', async (t) => {
  const { code, errors } = await bench('--only', 'get-1kb');
  t.is(code, 1);
  t.regex(errors, /There is no scenario get-1kb: get-1k, /);
});
