import { restoreStore } from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { PLACE } from './config.js';
import { type CopyStorageReport, FILL_OPTIONS, type FillOptions, fillPlace } from './fill-place.js';

export interface RestoreStorageOptions extends FillOptions {
  /** The directory that `storage.backup()` has written. */
  readonly from: string;
}

const OPTIONS: KnownOptions<RestoreStorageOptions> = {
  from: kinds.required(kinds.text),
  ...FILL_OPTIONS,
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
  checkOptions('restoreStorage(): to', options.to, PLACE);
  const { from, onProgress, signal } = options;
  return fillPlace(options, (to) => restoreStore({ from, to, onProgress, signal }));
}
