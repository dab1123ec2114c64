import { metadataStoreSuite } from '@bucketware/conformance';
import test from 'ava';
import { fixture, KEYVS, sqliteFile } from './fixtures.js';

for (const [version, keyvOn] of KEYVS) {
  metadataStoreSuite(
    (name, run) => test(`${version} on a Map: ${name}`, run),
    () => {
      const map = new Map();
      return fixture(() => keyvOn(map), { allowMemory: true });
    },
  );

  for (const compareAndSet of [true, false]) {
    const way = compareAndSet ? 'comparing' : 'plain';
    metadataStoreSuite(
      (name, run) => test(`${version} on SQLite, ${way}: ${name}`, run),
      async () => {
        const file = sqliteFile();
        const made = await fixture(() => keyvOn(file.open()), { compareAndSet, disconnect: true });
        const dispose = () => made.dispose().finally(() => file.remove());
        return { ...made, dispose };
      },
    );
  }
}
