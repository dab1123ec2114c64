import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(HERE, '../node_modules/typescript/bin/tsc');

const CORE = ['', '/contracts', '/dialect', '/memory', '/node', '/openapi'];
const NAMES = [
  ...CORE.map((entry) => `core${entry}`),
  ...['storage', 'koa', 'express', 'fastify', 'web', 's3', 'signature', 'client', 'client/node'],
  ...['filesystem', 'lmdb', 'keyv', 'sqlite', 'postgres', 'multer', 'unstorage'],
  ...['observability', 'observability/prometheus', 'observability/opentelemetry'],
].map((name) => `@bucketware/${name}`);

const imports = NAMES.map((name, at) => `import * as p${at} from '${name}';`);
const uses = `export const all = [${NAMES.map((_, at) => `p${at}`).join(', ')}];`;
const proof = `
import { openStorage } from '@bucketware/storage';
export const size: Promise<number> = openStorage({ directory: '/tmp/never' })
  .then((storage) => storage.getObject({ bucket: 'b', key: 'k' }))
  .then(({ size }) => size);
// @ts-expect-error A wrong option is an error only if the types are found.
openStorage({ directory: 5 });
`;

/**
 * Compiles a file that imports every package, as an app would. Returns the output of the compiler.
 */
async function compile(t: ExecutionContext, file: string, text: string, module: string[]) {
  await mkdir(join(HERE, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(HERE, 'dist/resolution-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, file), text);
  const args = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
  const all = [TSC, ...args, '--target', 'es2023', ...module, join(folder, file)];
  return run(process.execPath, all).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

const modules = [imports.join('\n'), uses, proof].join('\n');

for (const [name, file, options] of [
  ['node16', 'app.mts', ['--module', 'node16']],
  ['nodenext', 'app.mts', ['--module', 'nodenext']],
  ['nodenext, from CommonJS', 'app.cts', ['--module', 'nodenext']],
  ['bundler', 'app.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
] as const) {
  test(`TypeScript finds the types of all packages: ${name}`, async (t) => {
    t.is(await compile(t, file, modules, [...options]), '');
  });
}

test('with node16, CommonJS can load the packages with import()', async (t) => {
  const text = `export const storage = import('@bucketware/storage').then((p) => p.openStorage);`;
  t.is(await compile(t, 'app.cts', text, ['--module', 'node16']), '');
});

test('every package can be required from CommonJS', (t) => {
  const require = createRequire(import.meta.url);
  for (const name of NAMES) t.is(typeof require(name), 'object', name);
  t.is(typeof require('@bucketware/storage').openStorage, 'function');
});
