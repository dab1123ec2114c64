import { type KeyvMetadata, keyvMetadata, RolledBackError } from '@bucketware/keyv';
import test from 'ava';
import Keyv from 'keyv';
import { FaultyMap } from './faulty-map.js';

const put = (key: string) => ({ put: [{ key, value: 'x'.repeat(200) }] });

/** A database that a failover sets back to an earlier state, just before it gets a value. */
class Replicated extends FaultyMap {
  #earlier = new Map<string, unknown>();
  #isLate = (_key: string): boolean => false;

  remember(): void {
    this.#earlier = new Map(this.map);
  }

  loseCommits(): void {
    this.map.clear();
    for (const [key, value] of this.#earlier) this.map.set(key, value);
  }

  /** The client sends this value again, because the previous server has not answered. */
  loseBefore(isLate: (key: string) => boolean): void {
    this.#isLate = isLate;
  }

  override set(key: string, value: unknown): Promise<unknown> {
    if (this.#isLate(key)) {
      this.#isLate = () => false;
      this.loseCommits();
    }
    return super.set(key, value);
  }
}

async function filled(adapter: Replicated, cacheBytes?: number): Promise<KeyvMetadata> {
  const store = await keyvMetadata(new Keyv({ store: adapter }), { cacheBytes });
  for (let number = 0; number < 100; number++) await store.commit(put(`old/${number}`));
  adapter.remember();
  for (let number = 0; number < 20; number++) await store.commit(put(`lost/${number}`));
  return store;
}

const isRoot = (key: string): boolean => key.endsWith('root');

test('a commit whose root arrives after a failover has lost its pages is not acknowledged', async (t) => {
  const adapter = new Replicated();
  const store = await filled(adapter);
  adapter.loseBefore(isRoot);
  await t.throwsAsync(store.commit(put('new')), { instanceOf: RolledBackError });
  await t.throwsAsync(store.commit(put('new')), { instanceOf: RolledBackError });
  await store.close();
});

test('a failover while a commit writes its pages leaves the older tree intact', async (t) => {
  const adapter = new Replicated();
  const store = await filled(adapter);
  adapter.loseBefore((key) => !isRoot(key));
  await t.throwsAsync(store.commit(put('new')), { instanceOf: RolledBackError });
  await store.close();
  const again = await keyvMetadata(new Keyv({ store: adapter }));
  t.is((await again.list({ prefix: 'old/', limit: 1000 })).length, 100);
  t.is((await again.list({ prefix: '', limit: 1000 })).length, 100);
  t.deepEqual((await again.check()).problems, []);
  t.truthy(await again.commit(put('new')));
  await again.close();
});

for (const [pages, cacheBytes] of [
  ['no pages', 0],
  ['all pages', undefined],
] as const) {
  test(`a process that only reads and has cached ${pages} notices a failover that lost commits`, async (t) => {
    const adapter = new Replicated();
    const store = await filled(adapter, cacheBytes);
    adapter.loseCommits();
    const end = Date.now() + 5000;
    const read = async () => {
      for (;;) {
        await store.get('lost/1');
        if (Date.now() > end) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await t.throwsAsync(read(), { instanceOf: RolledBackError });
    await t.throwsAsync(async () => store.get('old/1'), { instanceOf: RolledBackError });
    await t.throwsAsync(store.commit(put('new')), { instanceOf: RolledBackError });
    await store.close();
  });
}
