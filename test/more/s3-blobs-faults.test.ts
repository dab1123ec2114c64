import test from 'ava';
import { serve } from '../s3-blobs/fixtures.js';
import type { Fault } from '../s3-blobs/store.js';
import { works } from '../s3-blobs/works.js';

const passing: readonly Fault[] = [
  ...[{ status: 500 }, { status: 503, code: 'SlowDown' }, { status: 502 }],
  ...(['cut', 'lost', 'page', 'silent'] as const),
];

for (const [name, work] of Object.entries(works)) {
  test.serial(
    `${name} succeeds whichever of its requests fails once, and however it fails`,
    async (t) => {
      const { store, blobs } = await serve(t);
      await work(blobs, store);
      const failAt = async (fault: Fault, at: number) => {
        const other = await serve(t);
        other.store.fault = (_seen, index) => (index === at ? fault : undefined);
        await work(other.blobs, other.store).catch((error: unknown) => {
          throw new Error(`${JSON.stringify(fault)} at ${at}`, { cause: error });
        });
      };
      for (const fault of passing) {
        await Promise.all(store.seen.map((_, at) => failAt(fault, at)));
      }
      t.pass();
    },
  );
}
