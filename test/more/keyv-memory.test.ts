import { type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { Keyv } from 'keyv';
import { memoryInUse } from '../drivers/memory-in-use.js';
import { sqliteFile } from '../keyv/fixtures.js';

const MB = 2 ** 20;
const CACHE = 3 * MB;
const RECORDS = 60_000;

/** Memory for code, for buffers in flight and for garbage that is collected later. */
const SLACK = 3 * MB;

const keyOf = (index: number): string => `o/photos/2026/${String(index).padStart(8, '0')}.jpg`;
const put = (index: number) => ({ key: keyOf(index), value: { index, tag: 'x'.repeat(150) } });

/** Visits all keys in a scattered order that is the same in each run. */
const spread = (index: number): number => (index * 7919) % RECORDS;

async function read(store: KeyvMetadata, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 500) {
    const places = Array.from({ length: 500 }, (_, index) => spread(at + index));
    const entries = await store.getMany(places.map(keyOf));
    if (entries.some((entry) => !entry)) throw new Error('A record is missing.');
  }
}

test('memory stays within cacheBytes, however many records there are', async (t) => {
  const file = sqliteFile();
  // The records are in SQLite's file, which does not count as V8 memory.
  const open = () => keyvMetadata(new Keyv({ store: file.open() }), options);
  const options = { cacheBytes: CACHE, disconnect: true };
  const filling = await open();
  for (let first = 0; first < RECORDS; first += 5000) {
    await filling.commit({ put: Array.from({ length: 5000 }, (_, index) => put(first + index)) });
  }
  await filling.close();
  const store = await open();
  const before = await memoryInUse();
  const grown: number[] = [];
  const measure = async () => grown.push((await memoryInUse()) - before);
  await read(store, 0, 10_000);
  await measure();
  for (let first = 0; first < RECORDS; first += 10_000) {
    await store.list({ prefix: 'o/', start: keyOf(first), limit: 1000 });
  }
  await measure();
  for (let at = 0; at < 1500; at += 30) {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => store.commit({ put: [put(spread(at + index))] })),
    );
  }
  await measure();
  await read(store, 10_000, 20_000);
  await measure();
  t.log(grown.map((bytes) => `${(bytes / MB).toFixed(1)} MB`).join(', '));
  for (const bytes of grown) t.true(bytes < CACHE + SLACK, `${bytes}`);
  // The cache must be used: one that keeps nothing would stay within any limit.
  t.true((grown[0] as number) > CACHE / 4, `${grown[0]}`);
  await store.close();
  await file.remove();
});
