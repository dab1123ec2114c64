import { metadataStoreCases } from '@bucketware/conformance';
import test from 'ava';
import { fixture, KEYVS, sqliteFile } from './fixtures.js';

for (const [version, keyvOn] of KEYVS) {
  for (const { id, name, run } of metadataStoreCases(() => {
    const map = new Map();
    return fixture(() => keyvOn(map), { allowMemory: true });
  })) {
    test(`${version} on a Map: ${id}: ${name}`, async (t) => {
      await run();
      t.pass();
    });
  }

  for (const compareAndSet of [true, false]) {
    const cases = metadataStoreCases(async () => {
      const file = sqliteFile();
      const made = await fixture(() => keyvOn(file.open()), { compareAndSet, disconnect: true });
      const cleanup = () => made.cleanup().finally(() => file.remove());
      return { ...made, cleanup };
    });
    for (const { id, name, run } of cases) {
      const way = compareAndSet ? 'comparing' : 'plain';
      test(`${version} on SQLite, ${way}: ${id}: ${name}`, async (t) => {
        await run();
        t.pass();
      });
    }
  }
}
