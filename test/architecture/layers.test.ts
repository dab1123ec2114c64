import test, { type ExecutionContext } from 'ava';
import { filesLoadedBy, linesOfCode, packages, type Source, sourcesOf } from './sources.js';

/** Every import that is not allowed, as `file -> import`. */
const offences = (sources: readonly Source[], allowed: (source: Source, from: string) => boolean) =>
  sources.flatMap((source) =>
    source.imports
      .filter(({ isOwn, from }) => !isOwn && !allowed(source, from))
      .map(({ from }) => `${source.path} -> ${from}`),
  );

const BUILT_IN = /^node:/;

test('the core imports no framework and no driver', async (t) => {
  const small = ['hash-wasm', 'leven', 'p-limit', 'stream-chain', 'valibot'];
  const allowed = (_: Source, from: string) =>
    BUILT_IN.test(from) || small.some((name) => from === name || from.startsWith(`${name}/`));
  t.deepEqual(offences(await sourcesOf('core'), allowed), []);
});

test('only the bridge to Node imports node:http', async (t) => {
  const inNode = (source: Source, from: string) =>
    !/^node:(http|https|net|tls)$/.test(from) || source.path.startsWith('node/');
  t.deepEqual(offences(await sourcesOf('core'), inNode), []);
});

/** The contracts may import each other, and the check of options. */
const isContract = (file: string) => /^core\/dist\/(contracts\/.*|options\.js)$/.test(file);

async function proveContractsOnly(
  t: ExecutionContext,
  name: string,
  technology: readonly string[],
) {
  const allowed = (_: Source, from: string) =>
    BUILT_IN.test(from) || from === '@bucketware/core/contracts' || technology.includes(from);
  t.deepEqual(offences(await sourcesOf(name), allowed), []);
  const loaded = (await filesLoadedBy(name)).filter((file) => file.startsWith('core/'));
  t.true(loaded.includes('core/dist/contracts/index.js'));
  t.deepEqual(
    loaded.filter((file) => !isContract(file)),
    [],
    'it loads nothing of the storage engine',
  );
}

test('the filesystem driver loads only the contracts of the core', (t) =>
  proveContractsOnly(t, 'filesystem', []));

test('the lmdb driver loads only the contracts of the core, lmdb and msgpackr', (t) =>
  proveContractsOnly(t, 'lmdb', ['lmdb', 'msgpackr']));

test('the keyv driver loads only the contracts of the core, and neither Keyv nor an adapter', (t) =>
  proveContractsOnly(t, 'keyv', ['lru-cache', 'msgpackr']));

test('signatures are verified with the contracts of the core and node:crypto', (t) =>
  proveContractsOnly(t, 'signature', []));

test('the S3 dialect imports saxes, in its reader of XML only', async (t) => {
  const allowed = (source: Source, from: string) =>
    from === 'saxes' && source.path === 'xml/read.ts';
  t.deepEqual(offences(await sourcesOf('s3'), allowed), []);
});

for (const [name, frameworks] of Object.entries({
  koa: ['koa', '@koa/router'],
  express: ['express'],
})) {
  test(`the ${name} adapter imports only the core and its framework, and is under 100 lines a file`, async (t) => {
    const sources = await sourcesOf(name);
    const isCore = (from: string) => /^@bucketware\/core(\/contracts|\/node)?$/.test(from);
    t.deepEqual(
      offences(sources, (_, from) => isCore(from) || frameworks.includes(from)),
      [],
    );
    for (const { path, text } of sources) t.true(linesOfCode(text) < 100, path);
  });
}

test('no source file has more than 250 lines', async (t) => {
  const long: string[] = [];
  for (const name of await packages()) {
    for (const { path, text } of await sourcesOf(name)) {
      const lines = text.split('\n').length - 1;
      if (lines > 250) long.push(`${name}/${path}: ${lines}`);
    }
  }
  t.deepEqual(long, []);
});
