import { open } from 'node:fs/promises';

/**
 * Makes a file, or the names in a directory, survive a power cut. Windows has no such call for
 * directories, and does not allow it for a file that is open for reading.
 */
export async function makeDurable(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
