import { join } from 'node:path';
import type { ObjectStorage } from '@bucketware/storage';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Backs up the storage to a directory named after the weekday, so there are seven backups. */
export async function backUp(storage: ObjectStorage, directory: string): Promise<string> {
  const target = join(directory, DAYS[new Date().getDay()] as string);
  const { copied, missing } = await storage.backup(target);
  if (missing.length > 0)
    throw new Error(`${missing.length} blobs are missing. Run storage.check().`);
  return `${copied} blobs are new in ${target}.`;
}
