/** Terminates a thread in the middle of a commit, and then commits in another one. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

if (isMainThread) await terminate(process.argv[2] ?? '');
else await commit(workerData as string);

async function terminate(directory: string): Promise<void> {
  const { lmdbMetadata } = await import('@bucketware/lmdb');
  const store = await lmdbMetadata({ directory });
  await store.commit({ put: [{ key: 'before', value: 1 }] });
  const thread = new Worker(new URL(import.meta.url), { workerData: directory });
  await once(thread, 'message');
  await thread.terminate();
  await store.commit({ put: [{ key: 'after', value: 1 }] });
  const found = await store.list({ prefix: '', limit: 10 });
  process.send?.(found.map(({ key }) => key));
  await store.close();
}

async function commit(directory: string): Promise<void> {
  let isCommitting = false;
  // lmdb-js collects its writes in such buffers. It gets the class when it is loaded.
  const Buffers = SharedArrayBuffer;
  globalThis.SharedArrayBuffer = new Proxy(Buffers, {
    construct(buffer, args) {
      if (isCommitting) {
        parentPort?.postMessage('in the middle');
        Atomics.wait(new Int32Array(new Buffers(4)), 0, 0);
      }
      return Reflect.construct(buffer, args) as SharedArrayBuffer;
    },
  });
  const { lmdbMetadata } = await import('@bucketware/lmdb');
  const store = await lmdbMetadata({ directory });
  isCommitting = true;
  const put = Array.from({ length: 5000 }, (_, index) => ({ key: `torn${index}`, value: index }));
  await store.commit({ put });
}
