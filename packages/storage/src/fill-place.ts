import {
  type CopyReport,
  createObjectStorage,
  type Drivers,
  type ScrubReport,
} from '@bucketware/core';
import { type KnownOptions, kinds } from '@bucketware/core/contracts';
import type { StoragePlace } from './config.js';
import { withDrivers } from './open-drivers.js';

/** The options that copying and restoring have in common. */
export interface FillOptions {
  /** An empty place, or that of an interrupted call: the copy then continues. */
  readonly to: StoragePlace;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Called from time to time while the new storage is verified. */
  readonly onVerify?: ((progress: ScrubReport) => void) | undefined;
  /**
   * Ends the call early; it rejects with the signal's reason. If everything was already copied, and
   * only the verification ends early, the new storage can be opened: verify it with `scrub`.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What was copied, and the result of verifying it. */
export interface CopyStorageReport extends CopyReport {
  /**
   * The result of verifying the new storage by its checksums. Data that was damaged at the source
   * is damaged here too.
   */
  readonly verified: ScrubReport;
}

export const FILL_OPTIONS: KnownOptions<FillOptions> = {
  to: kinds.required(kinds.anObject),
  onProgress: kinds.aFunction,
  onVerify: kinds.aFunction,
  signal: kinds.signal,
};

/** Copies a storage to a place, then verifies all objects by their checksums. */
export function fillPlace(
  { to, onVerify, signal }: FillOptions,
  copy: (to: Drivers) => Promise<CopyReport>,
): Promise<CopyStorageReport> {
  return withDrivers(to, async (target) => {
    const report = await copy(target);
    const onError = (): void => {}; // The report contains the damage.
    const storage = await createObjectStorage({ ...target, sweepEvery: false, onError });
    const verified = await storage.scrub({ signal, onProgress: onVerify });
    // A scrub that is ended early resolves.
    if (verified.next !== undefined) signal?.throwIfAborted();
    return { ...report, verified };
  });
}
