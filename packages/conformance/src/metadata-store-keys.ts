import assert from 'node:assert/strict';
import type { KeyRange, MetadataStore } from '@bucketware/core/contracts';
import type { DriverRule } from './driver-suite.js';

const LONGEST_KEY = 1200;

/** Unusual keys, among them pairs that UTF-16 and UTF-8 order differently. */
const KEYS = [
  'Z',
  'a',
  'a\0',
  'a\0b',
  'aa',
  'a/b',
  'é',
  'e\u0301',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  'u/b/k\u00001/x',
  'u/b/k\u00002/y',
  'u/b/k!',
  'u/b/k1',
  'u/b/k',
  '__proto__',
  'constructor',
  '\0',
  '\x7f',
];

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

async function fill(store: MetadataStore, keys: readonly string[]): Promise<void> {
  assert.ok(await store.commit({ put: keys.map((key) => ({ key, value: key })) }));
}

async function keysOf(store: MetadataStore, range: Partial<KeyRange>): Promise<string[]> {
  const entries = await store.list({ prefix: '', limit: 10_000, ...range });
  for (const { key, value, version } of entries) {
    assert.equal(value, key);
    assert.equal(typeof version, 'string');
  }
  return entries.map(({ key }) => key);
}

function firstOfGroups(keys: readonly string[], prefix: string, delimiter: string): string[] {
  const seen = new Set<string>();
  return keys.filter((key) => {
    const at = key.indexOf(delimiter, prefix.length);
    if (at < 0) return true;
    const group = key.slice(0, at + delimiter.length);
    const isFirst = !seen.has(group);
    seen.add(group);
    return isFirst;
  });
}

export const keyCases: readonly DriverRule<MetadataStore>[] = [
  {
    id: 'metadata-keys-utf8-order',
    name: 'list orders keys by their UTF-8 bytes',
    async prove(store) {
      await fill(store, KEYS);
      assert.deepEqual(await keysOf(store, {}), KEYS.toSorted(byBytes));
    },
  },
  {
    id: 'metadata-keys-many-in-order',
    name: 'list returns thousands of keys in order, whatever the order of puts and deletes',
    async prove(store) {
      const keys = Array.from({ length: 3000 }, (_, index) => `k/${(index * 7919) % 3001}`);
      await fill(store, keys);
      const removed = keys.filter((_, index) => index % 3 === 0);
      await store.commit({ delete: removed });
      const gone = new Set(removed);
      const left = keys.filter((key) => !gone.has(key)).sort(byBytes);
      assert.deepEqual(await keysOf(store, { prefix: 'k/' }), left);
    },
  },
  {
    id: 'metadata-keys-prefix',
    name: 'list selects exactly the keys that start with a prefix, whatever its last character',
    async prove(store) {
      await fill(store, KEYS);
      const prefixes = ['', 'a', 'a\0', 'u/b/k', 'u/b/k\0', '\ud7ff', '\uffff', '\u{10ffff}', 'no'];
      for (const prefix of [...prefixes, ...KEYS]) {
        const expected = KEYS.filter((key) => key.startsWith(prefix)).sort(byBytes);
        assert.deepEqual(await keysOf(store, { prefix }), expected, JSON.stringify(prefix));
      }
    },
  },
  {
    id: 'metadata-keys-start',
    name: 'list begins with the first key at or after start, and never before its prefix',
    async prove(store) {
      await fill(store, KEYS);
      for (const prefix of ['', 'a', 'u/b/k']) {
        for (const start of [...KEYS, ...KEYS.map((key) => `${key}\0`), '', 'm', '\u{10ffff}z']) {
          const expected = KEYS.filter((key) => key.startsWith(prefix) && byBytes(key, start) >= 0);
          const found = await keysOf(store, { prefix, start });
          assert.deepEqual(found, expected.sort(byBytes), JSON.stringify({ prefix, start }));
        }
      }
    },
  },
  {
    id: 'metadata-keys-limit',
    name: 'list returns at most limit entries, and pages of any size add up to the whole listing',
    async prove(store) {
      await fill(store, KEYS);
      const all = KEYS.toSorted(byBytes);
      for (const limit of [1, 2, 7, all.length, all.length + 1]) {
        const paged: string[] = [];
        for (let start = ''; ; start = `${paged.at(-1)}\0`) {
          const page = await keysOf(store, { start, limit });
          assert.ok(page.length <= limit, `${page.length} entries for a limit of ${limit}`);
          paged.push(...page);
          if (page.length < limit) break;
        }
        assert.deepEqual(paged, all);
      }
    },
  },
  {
    id: 'metadata-keys-delimiter',
    name: 'list with a delimiter returns the first key of each group, and all keys that are in none',
    async prove(store) {
      await fill(store, KEYS);
      for (const delimiter of ['/', '\0', 'k', 'é', '😀', '/k', 'none']) {
        for (const prefix of ['', 'a', 'u/', 'u/b/k', 'é']) {
          for (const start of [prefix, `${prefix}\0`, 'u/b/k1']) {
            const range = { prefix, start, delimiter };
            const all = await keysOf(store, { prefix, start });
            const needed = firstOfGroups(all, prefix, delimiter);
            const found = await keysOf(store, range);
            assert.deepEqual(
              found,
              all.filter((key) => found.includes(key)),
              'out of order',
            );
            const missing = needed.filter((key) => !found.includes(key));
            assert.deepEqual(missing, [], JSON.stringify(range));
            const page = await keysOf(store, { ...range, limit: 2 });
            assert.deepEqual(page, found.slice(0, 2), JSON.stringify(range));
          }
        }
      }
    },
  },
  {
    id: 'metadata-keys-many-groups',
    name: 'list with a delimiter handles thousands of keys in groups of any size',
    async prove(store) {
      const keys: string[] = [];
      for (let group = 0; group < 40; group++) {
        const name = `g/${String(group).padStart(3, '0')}`;
        const size = [0, 1, 2, 300][group % 4] as number;
        for (let at = 0; at < size; at++) keys.push(`${name}/${String(at).padStart(4, '0')}`);
        keys.push(`${name}-alone`);
      }
      await fill(store, keys);
      keys.sort(byBytes);
      const found = await keysOf(store, { prefix: 'g/', delimiter: '/' });
      const needed = firstOfGroups(keys, 'g/', '/');
      assert.deepEqual(
        needed.filter((key) => !found.includes(key)),
        [],
      );
      assert.deepEqual(
        found,
        keys.filter((key) => found.includes(key)),
      );
    },
  },
  {
    id: 'metadata-keys-longest',
    name: `commit accepts keys of ${LONGEST_KEY} bytes, and list may start right after one`,
    async prove(store) {
      const longest = 'é'.repeat(LONGEST_KEY / 2);
      const sibling = `${longest.slice(0, -1)}ê`;
      await fill(store, [longest, sibling]);
      assert.equal((await store.get(longest))?.value, longest);
      assert.deepEqual(await keysOf(store, { start: `${longest}\0` }), [sibling]);
      assert.deepEqual(await keysOf(store, { prefix: longest }), [longest]);
      assert.deepEqual(await keysOf(store, { prefix: `${longest}x` }), []);
    },
  },
  {
    id: 'metadata-keys-refused',
    name: 'commit and get reject a key that is empty, too long or ill-formed, and write nothing',
    async prove(store) {
      for (const key of ['', 'x'.repeat(LONGEST_KEY + 1), 'a\ud800', '\udc00b']) {
        const put = [{ key: 'good', value: 1 }, ...[{ key, value: 1 }]];
        await assert.rejects(store.commit({ put }), TypeError);
        await assert.rejects(store.commit({ put: put.slice(0, 1), delete: [key] }), TypeError);
        await assert.rejects(store.get(key), TypeError);
      }
      assert.deepEqual(await keysOf(store, {}), []);
    },
  },
  {
    id: 'metadata-keys-get-many',
    name: 'getMany resolves to entries in the order of its keys, with duplicates and gaps',
    async prove(store) {
      await fill(store, ['a', 'b', 'c']);
      const found = await store.getMany(['c', 'no', 'a', 'c']);
      assert.deepEqual(
        found.map((entry) => entry?.key),
        ['c', undefined, 'a', 'c'],
      );
      assert.deepEqual(found[0], await store.get('c'));
      assert.deepEqual(await store.getMany([]), []);
      assert.equal(await store.get('no'), undefined);
    },
  },
];
