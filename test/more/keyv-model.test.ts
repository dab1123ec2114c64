import type { KeyvMetadata } from '@bucketware/keyv';
import { keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import fc from 'fast-check';
import { Keyv } from 'keyv';
import { Random } from '../simulator/random.js';

const KINDS = ['o/bucket-', 'g/000', 'b/bucket-', 'x/', 'i/', 'p/'];

/** Keys and values like those of a storage, some of them long, so that trees get tall. */
class Workload {
  readonly #random: Random;
  readonly #space: number;
  readonly #long: boolean;
  readonly model = new Map<string, string>();

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#space = 20 + this.#random.below(3000);
    this.#long = this.#random.chance(0.5);
  }

  change(deletes: number) {
    const keys = [...this.model.keys()];
    const random = this.#random;
    const wanted = Array.from({ length: 1 + random.below(4) }, () =>
      keys.length > 0 && random.chance(0.3) ? this.#any(keys) : this.#key(),
    );
    const put: { key: string; value: string }[] = [];
    const gone: string[] = [];
    for (const key of new Set(wanted)) {
      if (random.chance(deletes)) gone.push(key);
      else put.push({ key, value: 'v'.repeat(random.below(random.chance(0.1) ? 4000 : 300)) });
    }
    for (const { key, value } of put) this.model.set(key, value);
    for (const key of gone) this.model.delete(key);
    return { put, delete: gone };
  }

  /** An existing key, and a prefix of it. */
  look(): { key: string; prefix: string; limit: number } | undefined {
    const keys = [...this.model.keys()];
    if (keys.length === 0) return undefined;
    const key = this.#any(keys);
    const prefix = key.slice(0, 1 + this.#random.below(key.length));
    return { key, prefix, limit: this.#random.chance(0.5) ? 1 : 5 };
  }

  #any(keys: readonly string[]): string {
    return keys[this.#random.below(keys.length)] as string;
  }

  #key(): string {
    const random = this.#random;
    const kind = KINDS[random.below(KINDS.length)];
    const tail = this.#long && random.chance(0.3) ? 'k'.repeat(random.below(900)) : '';
    return kind + random.below(this.#space).toString(36) + tail;
  }
}

const inOrder = (model: ReadonlyMap<string, string>, prefix: string): string[] =>
  [...model.keys()].filter((key) => key.startsWith(prefix)).sort();

async function looksRight(store: KeyvMetadata, work: Workload): Promise<boolean> {
  for (let count = 0; count < 6; count++) {
    const next = work.look();
    if (next === undefined) break;
    const { key, ...range } = next;
    if ((await store.get(key))?.value !== work.model.get(key)) return false;
    const found = (await store.list(range)).map((entry) => entry.key);
    const expected = inOrder(work.model, range.prefix).slice(0, range.limit);
    if (found.join('\n') !== expected.join('\n')) return false;
  }
  return true;
}

test('reads by key and by prefix return the same as a map would, however the tree grew', async (t) => {
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const store = await keyvMetadata(new Keyv({ store: new Map() }), { allowMemory: true });
    const work = new Workload(seed);
    const random = new Random(seed + 1);
    for (let group = 0; group < 40; group++) {
      const deletes = group < 25 ? 0.3 : 0.7;
      const changes = Array.from({ length: 1 + random.below(30) }, () => work.change(deletes));
      await Promise.all(changes.map((change) => store.commit(change)));
      if (!(await looksRight(store, work))) return false;
    }
    const all = await store.list({ prefix: '', limit: 100_000 });
    const { problems } = await store.check();
    await store.close();
    const keys = all.map(({ key }) => key).join('\n');
    return problems.length === 0 && keys === inOrder(work.model, '').join('\n');
  });
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
  t.pass();
});

test('a key before all leaves, after the first one was removed, is listed by its prefix', async (t) => {
  const store = await keyvMetadata(new Keyv({ store: new Map() }), { allowMemory: true });
  const keys = Array.from({ length: 400 }, (_, at) => `m${String(at).padStart(4, '0')}`);
  await store.commit({ put: keys.map((key) => ({ key, value: 'v'.repeat(200) })) });
  await store.commit({ delete: keys.slice(0, 150) });
  await store.commit({ put: [{ key: 'early', value: 1 }] });
  for (const prefix of ['e', 'early']) {
    t.deepEqual(
      (await store.list({ prefix, limit: 1 })).map(({ key }) => key),
      ['early'],
    );
  }
  t.is((await store.list({ prefix: '', limit: 1000 })).length, 251);
  await store.close();
});
