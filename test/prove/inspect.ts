import { StorageError } from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import { call } from '../http/raw.js';
import { type Bounds, type Load, PROOF_BUCKET } from './load.js';

export interface Inspection {
  /** Broken promises: acknowledged writes that are lost, damaged or mixed. */
  readonly broken: readonly string[];
  /** Keys whose read failed, and keys with wrong data. */
  readonly loud: number;
  readonly silent: number;
  readonly missing: number;
  readonly orphans: number;
}

/** Opens what a crash left in this process, examines everything, sweeps and checks. */
export async function inspect(directory: string, load: Load, bounds: Bounds): Promise<Inspection> {
  const now = () => Date.now() + 30 * 24 * 3600 * 1000;
  const storage = await openStorage({ directory, sweepEvery: false, now });
  try {
    let loud = 0;
    const read = async (key: string): Promise<Buffer | undefined> => {
      try {
        return await (await storage.getObject({ bucket: PROOF_BUCKET, key })).bytes();
      } catch (error) {
        if (error instanceof StorageError && error.status === 404) return undefined;
        loud++;
        throw error;
      }
    };
    const broken = await load.faults(bounds, read);
    const silent = broken.length - loud;
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    const { damaged } = await storage.scrub();
    for (const { key, problem } of damaged) broken.push(`${key}: its bytes are ${problem}`);
    return { broken, loud, silent, missing: missing.length, orphans: orphans.length };
  } finally {
    await storage.close();
  }
}

/** How many reads of acknowledged data fail in a server that cannot write. */
export async function failingReads(origin: string, load: Load): Promise<number> {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const { status, body } = await call(origin, 'GET', `/storage/${PROOF_BUCKET}/${key}`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`GET answered ${status}`);
    return body;
  };
  return (await load.faults(load.bounds(load.answeredNow()), read)).length;
}
