import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory that only its owner can enter, and every missing directory above it. All of
 * them are durable when it resolves.
 */
export async function makeDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return narrow(path);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await syncDirectory(parent);
    if (parent === dirname(first)) return;
  }
}

/**
 * Removes other users' access to a directory of this user. A directory that only its group can
 * enter, or one that has the sticky bit, is assumed to be shared on purpose.
 */
async function narrow(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  const isOpen = (mode & 0o007) !== 0 && (mode & 0o1000) === 0;
  if (isOpen && uid === process.getuid?.()) await chmod(path, 0o700);
}

/** Makes the names in a directory durable. Windows does this by itself, and has no call for it. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
