import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory for its owner alone, with those above it, so that a power loss does not take it
 * away.
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
 * Closes a directory of ours that every user could enter. One that is open to a group only, or that
 * users share (with the sticky bit), is so on purpose.
 */
async function narrow(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  const isOpen = (mode & 0o007) !== 0 && (mode & 0o1000) === 0;
  if (isOpen && uid === process.getuid?.()) await chmod(path, 0o700);
}

/** Makes the names in a directory durable. Windows has no such call and does it by itself. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
