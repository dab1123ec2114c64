import { copyStore } from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { PLACE, type StoragePlace } from './config.js';
import { type CopyStorageReport, FILL_OPTIONS, type FillOptions, fillPlace } from './fill-place.js';
import { withDrivers } from './open-drivers.js';

/** The options of {@link copyStorage}. */
export interface CopyStorageOptions extends FillOptions {
  /** The storage to copy. It may be read during the copy, but stop its writers first. */
  readonly from: StoragePlace;
}

const OPTIONS: KnownOptions<CopyStorageOptions> = {
  from: kinds.required(kinds.anObject),
  ...FILL_OPTIONS,
};

/**
 * Copies a storage to other drivers, and verifies the copy by its checksums.
 *
 * ```ts
 * await copyStorage({
 *   from: { directory: './data' },
 *   to: { directory: '/srv/data', metadata: 'postgres://localhost/app' },
 * });
 * ```
 *
 * Rejects when the target already contains a storage. Closes all drivers, including those that the
 * caller has opened.
 */
export async function copyStorage(options: CopyStorageOptions): Promise<CopyStorageReport> {
  checkOptions('copyStorage()', options, OPTIONS);
  checkOptions('copyStorage(): from', options.from, PLACE);
  checkOptions('copyStorage(): to', options.to, PLACE);
  const { onProgress, signal } = options;
  return withDrivers(options.from, (from) =>
    fillPlace(options, (to) => copyStore({ from, to, onProgress, signal })),
  );
}
