import { type CopyReport, restoreStore, type ScrubReport } from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { PLACE, type StoragePlace } from './config.js';
import { type CopyStorageReport, verifiedBy } from './copy-storage.js';
import { openDrivers } from './open-drivers.js';

export interface RestoreStorageOptions {
  /** The directory that `storage.backup()` has written. */
  readonly from: string;
  /** An empty place, or that of a restoration that was interrupted: it continues. */
  readonly to: StoragePlace;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Called now and then while the restored storage is verified. */
  readonly onVerify?: ((progress: ScrubReport) => void) | undefined;
  /** Ends the restoration early, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: KnownOptions<RestoreStorageOptions> = {
  from: kinds.required(kinds.text),
  to: kinds.required(kinds.anObject),
  onProgress: kinds.aFunction,
  onVerify: kinds.aFunction,
  signal: kinds.signal,
};

/**
 * Restores a backup to any drivers, and verifies what was restored by its checksums.
 *
 * ```ts
 * const { verified } = await restoreStorage({ from: './backup', to: { directory: './data' } });
 * ```
 *
 * `verified.damaged` names the objects of which the backup has lost something. Rejects when `from`
 * is no backup, was never completed, or has damaged records, and when the target is not empty.
 * Drivers that the caller opened are closed.
 */
export async function restoreStorage(options: RestoreStorageOptions): Promise<CopyStorageReport> {
  checkOptions('restoreStorage()', options, OPTIONS);
  const { from, to, onProgress, onVerify, signal } = options;
  checkOptions('restoreStorage(): to', to, PLACE);
  const target = await openDrivers(to);
  try {
    const report = await restoreStore({ from, to: target, onProgress, signal });
    return { ...report, verified: await verifiedBy(target, onVerify, signal) };
  } finally {
    await Promise.all([target.metadata.close(), target.blobs.close()]);
  }
}
