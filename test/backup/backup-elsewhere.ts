/** Makes a backup in another thread or process, and reports how it ended. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { openStorage } from '@bucketware/storage';

const { place, backup } = isMainThread ? JSON.parse(process.argv[2] ?? '') : workerData;
const storage = await openStorage({ ...place, sweepEvery: false });
const outcome = await storage.backup(backup).then(
  () => 'done',
  (error: Error) => error.message,
);
await storage.close();
if (isMainThread) process.stdout.write(outcome);
else parentPort?.postMessage(outcome);
