import { isMainThread, parentPort } from 'node:worker_threads';
import { sqliteMetadata } from '@bucketware/sqlite';

/** Loaded by `--import` in every thread: ends the thread that writes at its first message. */
if (!isMainThread) {
  parentPort?.on('message', () => process.exit(3));
} else if (process.argv[1] === import.meta.filename) {
  const store = await sqliteMetadata({ path: process.argv[2] as string });
  const put = () => store.commit({ put: [{ key: 'k', value: 1 }] });
  const messages = [];
  for (let count = 0; count < 2; count++) {
    messages.push(await put().catch((error: Error) => error.message));
  }
  await store.close();
  process.stdout.write(JSON.stringify(messages));
}
