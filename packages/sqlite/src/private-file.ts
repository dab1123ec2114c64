import { chmod, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '@bucketware/core/contracts';

/**
 * Creates an empty file that only its owner can read, and its directories. A file that already
 * exists is not even opened: closing it would release the locks that SQLite has on it for other
 * stores of this process.
 */
export async function makePrivateFile(path: string): Promise<void> {
  const directory = dirname(path);
  if ((await stat(directory).catch(unlessAbsent)) === undefined) await makeDirectory(directory);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Restricts a database of this user to its owner, if users outside its group have access. */
export async function makePrivate(path: string): Promise<void> {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) await restrict(file);
}

async function restrict(path: string): Promise<void> {
  const found = await stat(path).catch(unlessAbsent);
  if (found === undefined || found.uid !== process.getuid?.()) return;
  if ((found.mode & 0o007) !== 0) await chmod(path, 0o600).catch(unlessAbsent);
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
