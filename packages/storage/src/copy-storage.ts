import {
  type CopyReport,
  copyStore,
  createObjectStorage,
  type Drivers,
  type ScrubReport,
} from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { PLACE, type StoragePlace } from './config.js';
import { openDrivers } from './open-drivers.js';

export interface CopyStorageOptions {
  /** The storage to copy. It may be read meanwhile; its writers must be stopped. */
  readonly from: StoragePlace;
  /** An empty place, or that of a copy that was interrupted: it continues. */
  readonly to: StoragePlace;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Called now and then while the copy is verified. */
  readonly onVerify?: ((progress: ScrubReport) => void) | undefined;
  /** Ends the copy early, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CopyStorageReport extends CopyReport {
  /** The copy, verified by its checksums. What is damaged at the source is damaged here too. */
  readonly verified: ScrubReport;
}

const OPTIONS: KnownOptions<CopyStorageOptions> = {
  from: kinds.required(kinds.anObject),
  to: kinds.required(kinds.anObject),
  onProgress: kinds.aFunction,
  onVerify: kinds.aFunction,
  signal: kinds.signal,
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
 * Rejects when the target already holds a storage. Drivers that the caller opened are closed.
 */
export async function copyStorage(options: CopyStorageOptions): Promise<CopyStorageReport> {
  checkOptions('copyStorage()', options, OPTIONS);
  const { from, to, onProgress, onVerify, signal } = options;
  checkOptions('copyStorage(): from', from, PLACE);
  checkOptions('copyStorage(): to', to, PLACE);
  const source = await openDrivers(from);
  try {
    const target = await openDrivers(to);
    try {
      const report = await copyStore({ from: source, to: target, onProgress, signal });
      return { ...report, verified: await verifiedBy(target, onVerify, signal) };
    } finally {
      await Promise.all([target.metadata.close(), target.blobs.close()]);
    }
  } finally {
    await Promise.all([source.metadata.close(), source.blobs.close()]);
  }
}

/** Reads every object of the target, which may be opened from now on, and compares its checksum. */
export async function verifiedBy(
  target: Drivers,
  onProgress: CopyStorageOptions['onVerify'],
  signal: AbortSignal | undefined,
): Promise<ScrubReport> {
  // What is damaged is in the report.
  const onError = (): void => {};
  const storage = await createObjectStorage({ ...target, sweepEvery: false, onError });
  return storage.scrub({ signal, onProgress });
}
