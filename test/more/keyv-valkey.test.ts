import { createRequire } from 'node:module';
import { FencedError, type KeyvMetadataOptions, keyvMetadata } from '@bucketware/keyv';
import KeyvRedis from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import test from 'ava';
import { Keyv } from 'keyv';
import { KEYVS, newPrefix } from '../keyv/fixtures.js';
import { ownRedis, redisServer } from '../keyv/servers.js';

/** The client that `@keyv/valkey` uses. */
const { Cluster } = createRequire(createRequire(import.meta.url).resolve('@keyv/valkey'))(
  'iovalkey',
) as { Cluster: new (nodes: object[], options: object) => never };

const server = await redisServer();
test.after.always('stop the server', async () => {
  if (typeof server !== 'string') await server.stop();
});

const puts = (prefix: string, size: number) => ({
  put: Array.from({ length: 200 }, (_, n) => ({ key: `${prefix}/${n}`, value: 'x'.repeat(size) })),
});

const ADAPTERS: readonly (readonly [string, (url: string) => object])[] = [
  ['@keyv/redis', (url) => new KeyvRedis(url)],
  ['@keyv/valkey', (url) => new KeyvValkey(url)],
  ['@keyv/valkey without sets', (url) => new KeyvValkey(url, { useRedisSets: false })],
];

for (const [name, adapterOn] of ADAPTERS) {
  for (const [version, keyvOn] of KEYVS) {
    test(`${version} on ${name}: a store of one writer opens for several, and for one again`, async (t) => {
      if (typeof server === 'string') {
        t.log(`SKIPPED: ${server}.`);
        return t.pass();
      }
      const prefix = newPrefix();
      const open = (compareAndSet: boolean) =>
        keyvMetadata(keyvOn(adapterOn(server.url)), { prefix, compareAndSet, disconnect: true });
      const count = async (store: Awaited<ReturnType<typeof open>>, written: number) => {
        t.is((await store.list({ prefix: '', limit: 9999 })).length, written);
        t.deepEqual((await store.check()).problems, []);
      };
      const first = await open(false);
      t.is(first.writers, 'one');
      await first.commit(puts('first', 200));
      await first.commit(puts('large', 3000));
      await first.close();

      const several = [await open(true), await open(true)] as const;
      for (const store of several) {
        t.is(store.writers, 'many');
        await count(store, 400);
      }
      for (const [index, store] of several.entries()) await store.commit(puts(`${index}`, 200));
      // Enough commits to remove the pages of the first store.
      for (let n = 0; n < 300; n++) await several[0].commit(puts('first', n));
      for (const store of several) await count(store, 800);
      await Promise.all(several.map((store) => store.close()));

      const last = await open(false);
      await count(last, 800);
      t.truthy(await last.commit(puts('last', 200)));
      await count(last, 1000);
      await last.close();
    });

    for (const writers of ['many', 'one'] as const) {
      test(`${version} on ${name}: a writer without compare-and-set stops when a process with it opens the store (${writers})`, async (t) => {
        if (typeof server === 'string') {
          t.log(`SKIPPED: ${server}.`);
          return t.pass();
        }
        const prefix = newPrefix();
        const open = (options: KeyvMetadataOptions) =>
          keyvMetadata(keyvOn(adapterOn(server.url)), { prefix, disconnect: true, ...options });
        const old = await open({ compareAndSet: false });
        await old.commit({ put: [{ key: 'old', value: 1 }] });
        const next = await open({ writers });
        for (let n = 0; n < 20; n++) await next.commit({ put: [{ key: `new${n}`, value: n }] });
        const late = { put: [{ key: 'late', value: 1 }] };
        for (let n = 0; n < 2; n++)
          await t.throwsAsync(old.commit(late), { instanceOf: FencedError });
        await t.throwsAsync(old.get('old'), { instanceOf: FencedError });
        await old.close();

        const again = await open({ writers });
        for (const store of writers === 'many' ? [next, again] : [again]) {
          t.is((await store.get('old'))?.value, 1);
          t.is((await store.list({ prefix: 'new', limit: 99 })).length, 20);
          t.is(await store.get('late'), undefined);
          t.deepEqual((await store.check()).problems, []);
        }
        t.truthy(await again.commit({ put: [{ key: 'last', value: 1 }] }));
        await Promise.all([next.close(), again.close()]);
      });
    }
  }
}

test('the pages of a cluster are spread over several servers, so only one process may write', async (t) => {
  const nodes = { rootNodes: [{ url: 'redis://127.0.0.1:1' }] };
  const valkey = new KeyvValkey(
    new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true }),
  );
  for (const store of [new KeyvRedis(nodes), valkey]) {
    const opening = keyvMetadata(new Keyv({ store }), { writers: 'many', timeout: 500 });
    await t.throwsAsync(opening, { instanceOf: TypeError, message: /cannot compare and set/ });
  }
});

test('a client that gives up retrying reports a server that cannot be reached', async (t) => {
  const own = await ownRedis();
  if (typeof own === 'string') {
    t.log(`SKIPPED: ${own}.`);
    return t.pass();
  }
  const adapter = new KeyvValkey(own.url, { maxRetriesPerRequest: 0 });
  t.teardown(() => adapter.disconnect());
  const store = await keyvMetadata(new Keyv({ store: adapter }), { timeout: 3000 });
  await store.commit({ put: [{ key: 'a', value: 1 }] });
  await own.stop();
  await t.throwsAsync(store.get('a'), { code: 'EHOSTDOWN' });
  const failed = await t.throwsAsync(store.commit({ put: [{ key: 'a', value: 2 }] }));
  t.is(failed.name, 'OutcomeUnknownError');
});
