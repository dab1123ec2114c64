import { checkOptions, type KnownOptions, kinds } from '../../options.js';
import { COPY_OPTIONS, type CopyReport, type Drivers } from '../copying/copy-options.js';
import { copyStore } from '../copying/copy-store.js';
import { openBackup } from './open-backup.js';

/** The options of {@link restoreStore}. */
export interface RestoreOptions {
  /** The directory of a backup. */
  readonly from: string;
  /** Empty drivers, or those of an interrupted restoration, which then continues. */
  readonly to: Drivers;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Ends the restoration early; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: KnownOptions<RestoreOptions> = {
  ...COPY_OPTIONS,
  from: kinds.required(kinds.text),
};

/**
 * Restores the last complete backup of a directory to empty drivers. The identity is written last,
 * so an unfinished restoration does not open as a storage. Blobs that the backup lacks are missing
 * afterwards, so verify what was restored.
 */
export async function restoreStore(options: RestoreOptions): Promise<CopyReport> {
  checkOptions('restoreStore()', options, OPTIONS);
  const backup = await openBackup(options.from);
  const signals = [options.signal, backup.lost].filter((signal) => signal !== undefined);
  try {
    return await copyStore({ ...options, from: backup, signal: AbortSignal.any(signals) });
  } catch (error) {
    options.signal?.throwIfAborted();
    await backup.check();
    throw error;
  } finally {
    await backup.close();
  }
}
