import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes a directory, with those above it, so that a power loss does not take it away. */
export async function makeDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await syncDirectory(parent);
    if (parent === dirname(first)) return;
  }
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
