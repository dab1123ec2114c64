// Runs the HTTP suite against an app on Deno or Bun, and prints TAP.
// Arguments: the name of the runtime, its binary, and the dialect.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { httpSuite, jsonApi, s3 } from '@bucketware/conformance';
import { differences } from './differences.js';

const AT_A_TIME = 6;
const TIME_LIMIT = 60_000;

const [runtime = '', binary = '', dialect = 'json'] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'runtime-'));
const app = fileURLToPath(new URL('app.js', import.meta.url));
const allowed = runtime === 'Deno' ? ['-A'] : [];
const child = spawn(binary, ['run', ...allowed, app, directory, dialect], {
  stdio: ['ignore', 'pipe', 'pipe'],
});
const exited = once(child, 'exit');
const failures: string[] = [];
createInterface(child.stderr).on('line', (line) => {
  if (line.startsWith('failure ')) failures.push(line);
});
const started = once(createInterface(child.stdout), 'line');
const [origin] = await Promise.race([
  started,
  exited.then(([code]) => Promise.reject(new Error(`The app ended with ${code}.`))),
]);

const reasons = new Map<string, string[]>();
const cases: { name: string; run: (t: object) => unknown }[] = [];
const fixture = async () => ({
  url: `${origin}/storage`,
  bucketUrl: (bucket: string) => ({ url: origin, host: `${bucket}.objects.test` }),
});
const register = (name: string, run: (t: object) => unknown) => {
  const id = name.slice(0, name.indexOf(':'));
  const reason = differences(runtime)[id];
  if (reason === undefined) cases.push({ name, run });
  else reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
};
httpSuite(register, fixture, dialect === 's3' ? s3 : jsonApi);

async function within(time: number, run: () => unknown): Promise<void> {
  const timer = new AbortController();
  const late = once(timer.signal, 'abort').then(() => {
    throw new Error(`No result after ${time / 1000} s.`);
  });
  const clock = setTimeout(() => timer.abort(), time);
  await Promise.race([run(), late]).finally(() => clearTimeout(clock));
}

let failed = 0;
function report(name: string, error?: unknown): void {
  console.log(`${error === undefined ? 'ok' : 'not ok'} - ${runtime}, ${dialect}: ${name}`);
  if (error === undefined) return;
  failed++;
  console.log(String((error as Error).stack ?? error), (error as Error).cause ?? '');
}

async function work(): Promise<void> {
  for (;;) {
    const next = cases.shift();
    if (next === undefined) return;
    const { name, run } = next;
    await within(TIME_LIMIT, () => run({})).then(
      () => report(name),
      (error) => report(name, error),
    );
  }
}
await Promise.all(Array.from({ length: AT_A_TIME }, work));

const ended = child.exitCode !== null;
child.kill();
await exited;
await rm(directory, { recursive: true });
report('no request ended the app', ended ? new Error('The app has ended.') : undefined);
report('no request caused an internal failure', failures.length > 0 ? failures : undefined);
for (const [reason, ids] of reasons) {
  console.log(`# not run on ${runtime}: ${ids.length} cases, because ${reason}: ${ids.join(', ')}`);
}
process.exitCode = failed === 0 ? 0 : 1;
