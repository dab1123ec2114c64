import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type KeyvMetadata, keyvMetadata, PostgresStore } from '@bucketware/keyv';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import pg from 'pg';
import { milliseconds, perSecond, type Row, table } from './keyv-table.js';
import { median, rateOf } from './run/rounds.js';

const WRITERS = 32;
const QUICK = process.argv.includes('--quick');
const COMMITS = QUICK ? 2000 : 20_000;
const GETS = QUICK ? 10_000 : 200_000;
const OBJECTS = QUICK ? 20_000 : 1_000_000;
const FILL = 5000;
const PAGE = 1000;
const MB = 2 ** 20;
const SMALL_CACHE = 16 * MB;
/** Memory in addition to the pages: code that was compiled meanwhile, and buffers in use. */
const CONSTANT = 8 * MB;

/** Servers without persistence can also be measured. */
const SETTINGS = { durability: 'relaxed' } as const;

interface Database {
  readonly name: string;
  readonly url: string | undefined;
  readonly adapter: (url: string) => unknown;
  readonly commits: number;
}

/** Running servers. This benchmark writes to them, and leaves its records there. */
const DATABASES: readonly Database[] = [
  {
    name: 'Redis',
    url: process.env.TEST_REDIS_URL,
    adapter: (url) => new KeyvRedis(url),
    commits: 5000,
  },
  {
    name: 'PostgreSQL',
    url: process.env.TEST_POSTGRES_URL,
    adapter: (url) => new PostgresStore(new pg.Pool({ connectionString: url })),
    commits: 2000,
  },
];

/** Compares records in a Keyv with plain calls to the same Keyv. */
async function* keyv(): AsyncGenerator<Row> {
  for (const database of DATABASES) {
    if (database.url) yield* measure(database, database.url);
    else console.error(`keyv: ${database.name} is skipped: set its TEST_..._URL.`);
  }
}

async function* measure({ name, adapter, commits }: Database, url: string): AsyncGenerator<Row> {
  const bare = new Keyv({ store: adapter(url) as Map<string, unknown>, throwOnErrors: true });
  const prefix = `bench-${Date.now().toString(36)}:`;
  const open = (): Promise<KeyvMetadata> => keyvMetadata(bare, { ...SETTINGS, prefix });
  let store = await open();

  const sets = await rateOf(COMMITS, () =>
    together(COMMITS, (index) => bare.set(`${prefix}bare-${index}`, record(index))),
  );
  const against = `${perSecond(sets)} Keyv's own set`;
  const spread = (label: string, key: (index: number) => string) => async (): Promise<Row> => {
    const ours = await rateOf(COMMITS, () =>
      together(COMMITS, (index) =>
        store.commit({ put: [{ key: key(index), value: record(index) }] }),
      ),
    );
    const what = `${name}: commits of one record, ${WRITERS} at once, ${label}`;
    const goal = { target: `>= ${perSecond(commits)}`, met: ours >= commits };
    return { benchmark: 'keyv', what, ours: perSecond(ours), against, ratio: ours / sets, ...goal };
  };
  yield await spread('keys in order', (index) => `a/${String(index).padStart(8, '0')}`)();
  yield await spread('keys at random', () => `r/${Math.random()}`)();

  for (let first = 0; first < OBJECTS; first += FILL) {
    const put = Array.from({ length: FILL }, (_, index) => ({
      key: objectKey(first + index),
      value: record(first + index),
    }));
    await store.commit({ put });
  }
  await store.close();
  const start = performance.now();
  store = await open();
  yield timed(`${name}: open with ${OBJECTS} objects`, performance.now() - start, 1000);

  const lists: number[] = [];
  for (let count = 0; count < 21; count++) {
    const from = objectKey(Math.floor(Math.random() * (OBJECTS - PAGE)));
    const begin = performance.now();
    await store.list({ prefix: 'o/', start: from, limit: PAGE });
    lists.push(performance.now() - begin);
  }
  yield timed(`${name}: a page of ${PAGE} keys out of ${OBJECTS}`, median(lists), 50);

  for (let warm = 0; warm < PAGE; warm++) await store.get(objectKey(warm));
  const gets = await rateOf(GETS, () =>
    together(GETS, (index) => store.get(objectKey(index % PAGE))),
  );
  yield {
    benchmark: 'keyv',
    what: `${name}: get of a cached page, ${WRITERS} at once`,
    ours: perSecond(gets),
    against: '',
    target: '>= 50000/s',
    met: gets >= 50_000,
  };
  yield await spread(`at random among ${OBJECTS}`, () =>
    objectKey(Math.floor(Math.random() * OBJECTS)),
  )();
  await store.close();
  yield await measureMemory(
    name,
    await keyvMetadata(bare, { ...SETTINGS, prefix, cacheBytes: SMALL_CACHE }),
  );
  await bare.disconnect();
}

/** Measures the peak memory of a store while all kinds of calls access all of its records. */
async function measureMemory(name: string, store: KeyvMetadata): Promise<Row> {
  const anyKey = (): string => objectKey(Math.floor(Math.random() * OBJECTS));
  const list = () => store.list({ prefix: 'o/', start: anyKey(), limit: PAGE });
  const change = (index: number) =>
    store.commit({ put: [{ key: anyKey(), value: record(index) }] });
  const before = await memory();
  let most = 0;
  for (const [amount, work] of [
    [COMMITS, () => store.get(anyKey())],
    [COMMITS / 200, list],
    [COMMITS / 2, change],
    [COMMITS, () => store.get(anyKey())],
  ] as const) {
    await together(amount, work);
    most = Math.max(most, (await memory()) - before);
  }
  await store.close();
  const size = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;
  return {
    benchmark: 'keyv',
    what: `${name}: memory of a store of ${OBJECTS} objects, cacheBytes ${size(SMALL_CACHE)}`,
    ours: size(most),
    against: '',
    target: `< ${size(SMALL_CACHE + CONSTANT)}`,
    met: most < SMALL_CACHE + CONSTANT,
  };
}

/** The memory in use after garbage collection. */
async function memory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) {
    collect();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function timed(what: string, time: number, limit: number): Row {
  const target = `< ${milliseconds(limit)}`;
  const met = time < limit;
  return { benchmark: 'keyv', what, ours: milliseconds(time), against: '', target, met };
}

async function together(amount: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < amount) await work(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
}

const objectKey = (index: number): string => `o/photos/2026/${String(index).padStart(8, '0')}.jpg`;

const record = (index: number) => ({
  type: 'Normal',
  size: index,
  etag: 'd41d8cd98f00b204e9800998ecf8427e',
  lastModified: 1_790_000_000_000 + index,
  segments: [{ blob: `b${index}`, offset: 0, length: index }],
  headers: { 'content-type': 'image/jpeg' },
});

const rows: Row[] = [];
for await (const row of keyv()) {
  rows.push(row);
  console.error(`${row.what}: ${row.ours}`);
}
console.log(table(rows));
