import { StorageError } from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import { type Bounds, type Load, PROOF_BUCKET } from './load.js';

export interface Inspection {
  /** Broken promises: acknowledged writes that are gone, torn or mixed bytes. */
  readonly broken: readonly string[];
  readonly missing: number;
  readonly orphans: number;
}

/** Opens what a crash left in this process, looks at everything, sweeps and checks. */
export async function inspect(directory: string, load: Load, bounds: Bounds): Promise<Inspection> {
  const now = () => Date.now() + 30 * 24 * 3600 * 1000;
  const storage = await openStorage({ directory, sweepEvery: false, now });
  try {
    const read = async (key: string): Promise<Buffer | undefined> => {
      try {
        return await (await storage.getObject({ bucket: PROOF_BUCKET, key })).bytes();
      } catch (error) {
        if (error instanceof StorageError && error.status === 404) return undefined;
        throw error;
      }
    };
    const broken = await load.faults(bounds, read);
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    return { broken, missing: missing.length, orphans: orphans.length };
  } finally {
    await storage.close();
  }
}
