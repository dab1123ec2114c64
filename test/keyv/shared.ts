import assert from 'node:assert/strict';
import { type KeyvLike, type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';

async function increment(store: KeyvMetadata): Promise<void> {
  for (;;) {
    const entry = await store.get('n');
    const next = ((entry?.value as number | undefined) ?? 0) + 1;
    const expect = [{ key: 'n', version: entry?.version }];
    const put = [
      { key: 'n', value: next },
      { key: `log/${next}`, value: 'x'.repeat(next * 20) },
    ];
    if (await store.commit({ expect, put })) return;
  }
}

/**
 * Proves that several writers on one database lose nothing and see each other's commits at once.
 */
export async function proveSharing(open: () => KeyvLike, prefix: string): Promise<void> {
  const stores = await Promise.all(
    [1, 2, 3].map(() => keyvMetadata(open(), { prefix, disconnect: true })),
  );
  const [first, second] = stores as [KeyvMetadata, KeyvMetadata];
  for (let round = 0; round < 20; round++) {
    await first.commit({ put: [{ key: 'k', value: round }] });
    assert.equal((await second.get('k'))?.value, round);
    const seen = await second.get('k');
    await second.commit({ expect: [{ key: 'k', version: seen?.version }], delete: ['k'] });
    assert.equal(await first.get('k'), undefined);
    // The latest root decides, although this writer has not read it.
    const expect = [{ key: 'k', version: seen?.version }];
    assert.equal(await first.commit({ expect, delete: ['k'] }), undefined);
  }
  const workers = stores.flatMap((store) =>
    [1, 2, 3].map(async () => {
      for (let count = 0; count < 15; count++) await increment(store);
    }),
  );
  let working = true;
  const done = Promise.all(workers).finally(() => {
    working = false;
  });
  while (working) {
    const [[counter], log] = await Promise.all([
      second.getMany(['n']),
      first.list({ prefix: 'log/', limit: 1000 }),
    ]);
    assert.ok(log.length <= 135 && ((counter?.value as number | undefined) ?? 0) <= 135);
    await new Promise(setImmediate);
  }
  await done;
  assert.equal((await first.get('n'))?.value, 135);
  assert.equal((await second.list({ prefix: 'log/', limit: 1000 })).length, 135);
  assert.deepEqual((await first.check()).problems, []);
  await Promise.all(stores.map((store) => store.close()));
}
