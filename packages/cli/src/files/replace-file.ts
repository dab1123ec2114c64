import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modeOfReplaced, PARTIAL_PREFIX } from '@bucketware/client/node';

/**
 * Replaces a file atomically: readers see the old data or the new. The new file has the permissions
 * of the old one.
 */
export async function replaceFile(path: string, data: Uint8Array): Promise<void> {
  const part = join(dirname(path), PARTIAL_PREFIX + randomUUID());
  try {
    const mode = await modeOfReplaced(path);
    const file = await open(part, 'wx', mode);
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {}); // The first failure is the one to report.
    throw error;
  }
}
