import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type MetadataStore, memoryMetadata } from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import fc from 'fast-check';

/** What records hold: plain data, with texts of users as values and never as names of fields. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('size', 'etag', 'constructor', 'toString', ''), tie('value')),
  ),
}));
/** Keys of users behind the prefix that a bucket has. */
const key = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 200 })
  .filter((text) => text.isWellFormed());

/** Drivers give bytes as a Buffer or as a plain array of bytes, and objects with or without a prototype. */
function bare(found: unknown): unknown {
  if (typeof found !== 'object' || found === null) return found;
  if (found instanceof Uint8Array) return `bytes ${Buffer.from(found).toString('hex')}`;
  if (Array.isArray(found)) return found.map(bare);
  return Object.entries(found).map(([name, part]) => [name, bare(part)]);
}

async function proveRecords(metadata: MetadataStore): Promise<void> {
  await fc.assert(
    fc.asyncProperty(key, value, async (name, given) => {
      await metadata.commit({ put: [{ key: `o/bucket/${name}`, value: given }] });
      const found = await metadata.get(`o/bucket/${name}`);
      const [listed] = await metadata.list({ prefix: `o/bucket/${name}`, limit: 1 });
      return (
        listed?.key === `o/bucket/${name}` &&
        isDeepStrictEqual(bare(found?.value), bare(given)) &&
        isDeepStrictEqual(bare(listed.value), bare(given))
      );
    }),
    { numRuns: 800 },
  );
}

test('a record comes back from memory as it was written, under any key', async (t) => {
  await proveRecords(memoryMetadata());
  t.is(({} as Record<string, unknown>).size, undefined);
});

test('a record comes back from LMDB as it was written, under any key', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const metadata = await lmdbMetadata({ directory, durability: 'relaxed' });
  t.teardown(async () => {
    await metadata.close();
    await rm(directory, { recursive: true });
  });
  await proveRecords(metadata);
  t.pass();
});
