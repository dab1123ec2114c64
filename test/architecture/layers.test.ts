import test, { type ExecutionContext } from 'ava';
import { linesOfCode, packages, type Source, sourcesOf } from './sources.js';

/** Every import that is not allowed, as `file -> import`. */
const offences = (sources: readonly Source[], allowed: (source: Source, from: string) => boolean) =>
  sources.flatMap((source) =>
    source.imports
      .filter(({ isOwn, from }) => !isOwn && !allowed(source, from))
      .map(({ from }) => `${source.path} -> ${from}`),
  );

const BUILT_IN = /^node:/;

test('the core imports no framework and no driver', async (t) => {
  const small = ['hash-wasm', 'leven', 'p-limit', 'stream-chain'];
  const allowed = (_: Source, from: string) =>
    BUILT_IN.test(from) || small.some((name) => from === name || from.startsWith(`${name}/`));
  t.deepEqual(offences(await sourcesOf('core'), allowed), []);
});

test('only the bridge to Node imports node:http', async (t) => {
  const inNode = (source: Source, from: string) =>
    !/^node:(http|https|net|tls)$/.test(from) || source.path.startsWith('node/');
  t.deepEqual(offences(await sourcesOf('core'), inNode), []);
});

const CONTRACTS = new Set<string>();
test.before(async () => {
  for (const { path, text } of await sourcesOf('core')) {
    if (!/^(contracts\/|errors|options)/.test(path)) continue;
    const exported = /^export (?:abstract )?(?:interface|type|class|const|function) (\w+)/gm;
    for (const [, name = ''] of text.matchAll(exported)) CONTRACTS.add(name);
  }
});

async function proveDriver(t: ExecutionContext, name: string, technology: readonly string[]) {
  const sources = await sourcesOf(name);
  const allowed = (_: Source, from: string) =>
    BUILT_IN.test(from) || from === '@bucketware/core' || technology.includes(from);
  t.deepEqual(offences(sources, allowed), []);
  const used = sources.flatMap(({ imports }) =>
    imports.flatMap(({ from, names }) => (from === '@bucketware/core' ? names : [])),
  );
  t.true(used.length > 0);
  t.deepEqual(
    used.filter((item) => !CONTRACTS.has(item)),
    [],
    'of the core, a driver knows contracts, errors and the check of options only',
  );
}

test('the filesystem driver imports contracts, errors and the check of options of the core', (t) =>
  proveDriver(t, 'filesystem', []));

test('the lmdb driver imports no more of the core, and lmdb', (t) =>
  proveDriver(t, 'lmdb', ['lmdb', 'msgpackr']));

test('the keyv driver imports no more of the core, and neither Keyv nor an adapter', (t) =>
  proveDriver(t, 'keyv', ['msgpackr']));

for (const [name, frameworks] of Object.entries({
  koa: ['koa', '@koa/router'],
  express: ['express'],
})) {
  test(`the ${name} adapter imports only the core and its framework, and is under 100 lines a file`, async (t) => {
    const sources = await sourcesOf(name);
    const known = ['@bucketware/core', ...frameworks];
    t.deepEqual(
      offences(sources, (_, from) => known.includes(from)),
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
