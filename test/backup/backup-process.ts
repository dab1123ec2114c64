/** Backs up a storage slowly in a separate process, and reports how many blobs it has copied. */
import { openStorage } from '@bucketware/storage';

const [data = '', backup = '', skew = '0'] = process.argv.slice(2);
const storage = await openStorage({
  directory: data,
  durability: 'relaxed',
  sweepEvery: false,
  now: () => Date.now() + Number(skew),
});
const pause = new Int32Array(new SharedArrayBuffer(4));
await storage.backup(backup, {
  onProgress({ copied }) {
    process.send?.(copied);
    Atomics.wait(pause, 0, 0, 20);
  },
});
await storage.close();
process.disconnect?.();
