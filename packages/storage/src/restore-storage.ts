import { restoreStore } from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { PLACE } from './config.js';
import { type CopyStorageReport, FILL_OPTIONS, type FillOptions, fillPlace } from './fill-place.js';

/** The options of {@link restoreStorage}. */
export interface RestoreStorageOptions extends FillOptions {
  /** The directory that `storage.backup()` wrote. */
  readonly from: string;
}

const OPTIONS: KnownOptions<RestoreStorageOptions> = {
  from: kinds.required(kinds.text),
  ...FILL_OPTIONS,
};

/**
 * Restores a backup to any drivers, and verifies the restored data by its checksums.
 *
 * ```ts
 * const { verified } = await restoreStorage({ from: './backup', to: { directory: './data' } });
 * ```
 *
 * `verified.damaged` lists the objects whose data the backup has lost, even partly. Rejects when
 * `from` is not a backup, was never completed, or has damaged records, and when the target is not
 * empty. Closes all drivers, including those that the caller has opened.
 */
export async function restoreStorage(options: RestoreStorageOptions): Promise<CopyStorageReport> {
  checkOptions('restoreStorage()', options, OPTIONS);
  checkOptions('restoreStorage(): to', options.to, PLACE);
  const { from, onProgress, signal } = options;
  return fillPlace(options, (to) => restoreStore({ from, to, onProgress, signal }));
}
