import { StorageError } from '../errors.js';

interface Locks {
  request<Result>(
    name: string,
    options: { readonly ifAvailable: true },
    work: (lock: unknown) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Runs an upload while no other tab or window of the browser uploads to the same key: both would
 * send the same parts. Without support for locks, it just runs the upload.
 */
export function locked<Result>(
  name: string,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks };
  // Node 24 has locks too, but no tabs.
  if (locks === undefined || !('document' in globalThis || 'importScripts' in globalThis))
    return work();
  return locks.request(`bucketware:${name}`, { ifAvailable: true }, (lock) => {
    if (lock !== null) return work();
    const message = `${bucket}/${key} is already being uploaded, here or in another tab. Wait, or abort it.`;
    throw new StorageError('UploadInUse', message);
  });
}
