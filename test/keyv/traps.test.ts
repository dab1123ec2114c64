import { type KeyvMetadata, type KeyvMetadataOptions, keyvMetadata } from '@bucketware/keyv';
import { KeyvPostgres } from '@keyv/postgres';
import test, { type ExecutionContext } from 'ava';
import { Keyv as Keyv5 } from 'keyv';
import { Keyv as Keyv6 } from 'keyv6';
import { FaultyMap } from './faulty-map.js';
import { KEYVS, sqliteFile } from './fixtures.js';

const put = (key: string, value: unknown = key) => ({ put: [{ key, value }] });

/** The same adapter with a new Keyv, so that a fault does not outlive its store. */
const openOn = (adapter: FaultyMap, options: KeyvMetadataOptions = {}): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv5({ store: adapter }), options);

async function refused(t: ExecutionContext, keyv: unknown, message: RegExp, options = {}) {
  await t.throwsAsync(keyvMetadata(keyv as Keyv5, options), { message });
}

test('a Keyv in memory is rejected without allowMemory', async (t) => {
  await refused(t, new Keyv5(), /in memory/);
  await refused(t, new Keyv6(), /in memory/);
  await refused(t, new Keyv6('redis://127.0.0.1:1' as never), /in memory/);
  await (await keyvMetadata(new Keyv5(), { allowMemory: true })).close();
  await (await keyvMetadata(new Keyv6(), { allowMemory: true })).close();
});

test('a URL without an adapter is rejected, even with allowMemory', async (t) => {
  const url = 'redis://127.0.0.1:1';
  await refused(t, new Keyv5(url as never), /given a URL/, { allowMemory: true });
  await refused(t, new Keyv5({ uri: url } as never), /given a URL/, { allowMemory: true });
});

test('a Keyv whose settings could lose or mix up records is rejected', async (t) => {
  const store = new FaultyMap();
  await refused(t, new Keyv5({ store, ttl: 1000 }), /ttl/);
  await refused(t, new Keyv6({ store, ttl: 1000 }), /ttl/);
  await refused(t, new Keyv6({ store, sanitize: { keys: true } } as never), /sanitize/);
  const unlogged = new KeyvPostgres({ uri: 'postgres://127.0.0.1:1/x', useUnloggedTable: true });
  await refused(t, new Keyv5({ store: unlogged }), /unlogged/);
  await refused(t, new Keyv5({ store }), /prefix/, { prefix: 'Ä' });
  await refused(t, new Keyv5({ store }), /pageSize/, { pageSize: 100 });
  await refused(t, new Keyv5({ store }), /cannot compare and set/, { writers: 'many' });
});

for (const [version, keyvOn] of KEYVS) {
  test(`${version}: an adapter that cannot store a page is rejected`, async (t) => {
    class Narrow extends FaultyMap {
      override set(key: string, value: string): Promise<unknown> {
        return super.set(key, value.slice(0, 65_535));
      }
    }
    await refused(t, keyvOn(new Narrow()), /does not store a value/, { pageSize: 2 ** 17 });
    await (await keyvMetadata(keyvOn(new Narrow()))).close();
  });

  test(`${version}: an outage never looks like an empty store or a missing key`, async (t) => {
    const adapter = new FaultyMap();
    const store = await keyvMetadata(keyvOn(adapter), { cacheBytes: 0 });
    await store.commit(put('a'));
    Object.assign(adapter, { ends: true, faultAt: adapter.calls });
    await t.throwsAsync(store.get('a'));
    await t.throwsAsync(store.getMany(['a', 'absent']));
    await t.throwsAsync(store.list({ prefix: '', limit: 1 }));
    await t.throwsAsync(store.commit(put('b')));
    await t.throwsAsync(store.commit({ expect: [{ key: 'a', version: undefined }], ...put('a') }));
    await t.throwsAsync(keyvMetadata(keyvOn(adapter)));
    adapter.ends = false;
    t.is((await store.get('a'))?.value, 'a');
    t.is(await store.get('b'), undefined);
    t.truthy(await store.commit(put('b')));
    await store.close();
  });

  test(`${version}: an error event during a write that returned true is a failure`, async (t) => {
    const adapter = new FaultyMap();
    const listeners: ((error: Error) => void)[] = [];
    const on = (_: string, listener: (error: Error) => void) => listeners.push(listener);
    let lossy = false;
    const set = (key: string, value: unknown): Promise<unknown> => {
      if (!lossy) return FaultyMap.prototype.set.call(adapter, key, value);
      for (const listener of listeners) listener(new Error('OOM command not allowed'));
      return Promise.resolve(undefined);
    };
    const store = await keyvMetadata(keyvOn(Object.assign(adapter, { on, set })));
    lossy = true;
    const error = await t.throwsAsync(store.commit(put('a')), { message: /commit failed/ });
    t.regex(String((error?.cause as Error | undefined)?.cause), /OOM/);
    lossy = false;
    t.truthy(await store.commit(put('a')));
    await store.close();
  });
}

test('a call that hangs is a failure, and no commit starts before it has ended', async (t) => {
  const adapter = new FaultyMap();
  const store = await openOn(adapter, { timeout: 500 });
  await store.commit(put('a'));
  Object.assign(adapter, { fault: 'hangs', faultAt: adapter.calls + 1 });
  const hung = await t.throwsAsync(store.commit(put('b')));
  // The time limit of the call or of the commit, whichever ends first.
  t.regex(hung?.message ?? '', /did not (read|confirm)/);
  t.is((await store.get('a'))?.value, 'a');
  const error = await t.throwsAsync(store.commit(put('c')));
  t.like(error, { name: 'UnreachableError', code: 'EHOSTDOWN' });
  t.regex(error?.message ?? '', /earlier calls/);
  await store.close();
  const again = await openOn(new FaultyMap(adapter.map));
  t.deepEqual((await again.check()).problems, []);
  await again.close();
});

test('a root that disappears is detected by the writer and at the next open', async (t) => {
  const adapter = new FaultyMap();
  const store = await openOn(adapter);
  await store.commit(put('a'));
  const root = adapter.map.get('keyv:bucketware:root');
  adapter.map.delete('keyv:bucketware:root');
  await t.throwsAsync(openOn(adapter), { message: /root of this metadata store is gone/ });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await t.throwsAsync(store.get('a'), { message: /root of this metadata store is gone/ });
  adapter.map.set('keyv:bucketware:root', root);
  t.is((await store.get('a'))?.value, 'a');
  await store.close();
});

const DAMAGES: readonly (readonly [string, (text: string, other: string) => unknown])[] = [
  ['cut off', (text) => text.slice(0, -30)],
  ['changed', (text) => text.replace(/.{20}"}$/, (end) => `${end.slice(0, 5)}AAAA${end.slice(9)}`)],
  ['another page', (_, other) => other],
  ['no page', () => '{"value":"hello"}'],
  ['no text', () => '{"value":17}'],
];

for (const [name, damage] of DAMAGES) {
  test(`a damaged page (${name}) is reported, not treated as empty`, async (t) => {
    const adapter = new FaultyMap();
    const first = await openOn(adapter);
    await first.commit({
      put: Array.from({ length: 300 }, (_, n) => ({ key: `k${n}`, value: n })),
    });
    await first.close();
    const store = await openOn(adapter);
    const { used } = await store.check();
    const keys = [...used].map((id) => `keyv:bucketware:${id}`);
    const texts = keys.map((key) => adapter.map.get(key) as string);
    for (const [at, key] of keys.entries()) {
      adapter.map.set(key, damage(texts[at] as string, texts[(at + 1) % keys.length] as string));
    }
    const message = /damaged|could not read/;
    await t.throwsAsync(store.get('k1'), { message });
    await t.throwsAsync(store.list({ prefix: 'k', limit: 1 }), { message });
    await t.throwsAsync(store.commit(put('k1')));
    // Values that Keyv itself cannot read make the whole check fail.
    const report = await store.check().catch(() => undefined);
    t.not(report?.problems.length, 0);
    await store.close();
  });
}

test('a second writer takes over, and the first one fails and writes nothing more', async (t) => {
  const adapter = new FaultyMap();
  const first = await openOn(adapter);
  await first.commit(put('a'));
  const second = await openOn(adapter);
  await second.commit(put('b'));
  const before = JSON.stringify([...adapter.map].filter(([key]) => /root|claim/.test(key)));
  const message = /Another process/;
  await t.throwsAsync(first.commit(put('c')), { message });
  await t.throwsAsync(first.get('a'), { message });
  await t.throwsAsync(first.commit(put('d')), { message });
  await first.close();
  t.is(JSON.stringify([...adapter.map].filter(([key]) => /root|claim/.test(key))), before);
  const keys = (await second.list({ prefix: '', limit: 9 })).map(({ key }) => key);
  t.deepEqual(keys, ['a', 'b']);
  await second.close();
});

test('a store that only reads detects within a second that another one took over', async (t) => {
  const adapter = new FaultyMap();
  const first = await openOn(adapter);
  await first.commit(put('a'));
  const second = await openOn(adapter);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await t.throwsAsync(first.get('a'), { message: /Another process/ });
  await Promise.all([first.close(), second.close()]);
});

test('with compare-and-set, a single writer is also fenced', async (t) => {
  const file = sqliteFile();
  const open = () => keyvMetadata(new Keyv5({ store: file.open() }), { writers: 'one' });
  const first = await open();
  await first.commit(put('a'));
  const second = await open();
  await second.commit(put('b'));
  await t.throwsAsync(first.commit(put('c')), { message: /Another process/ });
  t.is(await second.get('c'), undefined);
  await Promise.all([first.close(), second.close()]);
  await file.remove();
});

test('two namespaces that an adapter mixes up are distinguished', async (t) => {
  const map = new FaultyMap();
  const keyv = (namespace: string) => new Keyv5({ store: map, namespace, useKeyPrefix: false });
  const store = await keyvMetadata(keyv('one'));
  await store.commit(put('a'));
  await refused(t, keyv('two'), /namespace "two".*namespace "one"/);
  t.truthy(await store.commit(put('b')));
  await store.close();
});

test('keys and values that Keyv mixes up or changes stay as they are', async (t) => {
  const store = await openOn(new FaultyMap());
  const value = { bytes: new Uint8Array([1, 2]), date: ':base64:aGk=', big: 2 ** 60 };
  await store.commit({
    put: ['x', 'keyv:x', 'A', 'a', 'é', 'e', '../a;--$'].map((key) => ({ key, value })),
  });
  t.is((await store.list({ prefix: '', limit: 99 })).length, 7);
  const found = (await store.get('keyv:x'))?.value as typeof value;
  t.deepEqual({ ...found, bytes: [...found.bytes] }, { ...value, bytes: [1, 2] });
  await store.close();
});

test('a set that returns false is a failure, even if it took effect', async (t) => {
  const adapter = new FaultyMap();
  const store = await openOn(adapter);
  const { set } = FaultyMap.prototype;
  adapter.set = async (key, value) => {
    await set.call(adapter, key, value);
    return false;
  };
  const error = await t.throwsAsync(store.commit(put('a')), { message: /commit failed/ });
  t.regex(String(error?.cause), /set returned false/);
  adapter.set = set;
  t.truthy(await store.commit(put('b')));
  t.deepEqual((await store.check()).problems, []);
  await store.close();
});
