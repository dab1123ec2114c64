import { keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { Keyv } from 'keyv';

/** Such a store can create pages that look valid, because it knows how they are sealed. */
const dist = new URL('../../../packages/keyv/dist/', import.meta.url);
const { seal, unseal } = await import(new URL('seal.js', dist).href);
const { pageId } = await import(new URL('page-ids.js', dist).href);
const { sealPage } = await import(new URL('page.js', dist).href);

/** The fields of a root. */
type Root = [string, string, number[], (string | number)[], unknown[], unknown[]];

/** A store with records, whose pages a test then replaces. */
async function lyingStore() {
  const map = new Map<string, unknown>();
  const options = { allowMemory: true, writers: 'one' } as const;
  const open = () => keyvMetadata(new Keyv({ store: map }), options);
  const first = await open();
  await first.commit({ put: ['a', 'b', 'c'].map((key) => ({ key, value: key })) });
  await first.close();
  const root = [...map.keys()].find((key) => key.endsWith('root')) as string;
  const read = (key: string): string => JSON.parse(map.get(key) as string).value;
  const write = (key: string, value: string) => map.set(key, JSON.stringify({ value }));
  return {
    open,
    changeRoot(change: (fields: Root) => void) {
      const fields = unseal('root', read(root)) as Root;
      change(fields);
      write(root, seal('root', fields));
    },
    writePage: (id: string, page: object) =>
      write(root.replace(/root$/, id), sealPage(id, page) as string),
  };
}

const PAGE = pageId('00aa', 1) as string;
const children = (...lows: string[]) => ({ children: lows.map((low) => ({ low, id: PAGE })) });

for (const [what, page] of [
  ['one child', children('')],
  ['two children', children('', 'b')],
  ['children out of order', children('', 'b', '')],
  ['many children', children(...Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n)))],
] as const) {
  test(`a page of ${what} that refers to itself is an error, not an endless walk`, async (t) => {
    const lying = await lyingStore();
    lying.writePage(PAGE, page);
    lying.changeRoot((fields) => {
      fields[3] = [PAGE, 64];
    });
    const store = await lying.open();
    await t.throwsAsync(store.list({ prefix: '', limit: 10 }), { message: /is damaged/ });
    await t.throwsAsync(store.list({ prefix: '~', limit: 10 }), { message: /is damaged/ });
    await t.throwsAsync(store.get('b'), { message: /is damaged/ });
    await t.throwsAsync(store.commit({ put: [{ key: 'b', value: 1 }] }));
    t.true((await store.check()).problems.length > 0);
  });
}

test('pages that share a child are an error, not a walk of all paths through them', async (t) => {
  const lying = await lyingStore();
  const idAt = (height: number) => pageId('00aa', height) as string;
  lying.writePage(idAt(1), { keys: [], versions: [], ends: [], values: Buffer.of(), large: [] });
  for (let height = 2; height <= 40; height++) {
    const id = idAt(height - 1);
    lying.writePage(idAt(height), { children: ['', 'b'].map((low) => ({ low, id })) });
  }
  lying.changeRoot((fields) => {
    fields[3] = [idAt(40), 40];
  });
  const store = await lying.open();
  await t.throwsAsync(store.list({ prefix: '', limit: 10 }), { message: /where it belongs/ });
  t.true((await store.check()).problems.length > 0);
});

test('a tree of an impossible height, or a run of too many pages, is an error', async (t) => {
  for (const [index, value] of [
    [3, [PAGE, 1e9]],
    [3, [PAGE, 0]],
    [3, [PAGE, 1.5]],
    [4, ['00aa', 0, 2 ** 40]],
    [5, ['00aa', 0, 2 ** 40]],
    [4, ['00aa', 0, -1]],
  ] as const) {
    const lying = await lyingStore();
    lying.changeRoot((fields) => {
      fields[index] = [...value];
    });
    await t.throwsAsync(lying.open(), { message: /damaged/ });
  }
});
