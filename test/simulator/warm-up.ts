import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';

let done: Promise<void> | undefined;

/** WebAssembly is compiled before the runs, because no seed decides how long that takes. */
export const warmUp = (): Promise<void> => {
  done ??= appendOnce();
  return done;
};

async function appendOnce(): Promise<void> {
  const storage = await createObjectStorage({ blobs: memoryBlobs(), metadata: memoryMetadata() });
  await storage.putBucket({ bucket: 'warm' });
  await storage.appendObject({ bucket: 'warm', key: 'up', body: 'x' });
  await storage.close();
}
