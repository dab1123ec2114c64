import type { Stats } from 'node:fs';
import { lstat, readlink, stat } from 'node:fs/promises';

/**
 * The permissions of the file that a download to this path replaces; `undefined` if there is none.
 * Rejects if there is a device, a pipe or a socket, also at the end of a symbolic link: other
 * programs would find a file instead of `/dev/null` or `/dev/stdout`.
 */
export async function modeOfReplaced(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isFile()) return found.mode & 0o777;
  if (found !== undefined && (await isSpecial(path, found))) {
    throw new Error(`${path} is a device, a pipe or a socket. A download replaces only files.`);
  }
  return undefined;
}

async function isSpecial(path: string, found: Stats): Promise<boolean> {
  if (!found.isSymbolicLink()) return !found.isDirectory();
  // `/dev/stdout` leads there, even if the output is a file.
  if ((await readlink(path)).startsWith('/proc/')) return true;
  const target = await stat(path).catch(() => undefined); // A link that leads nowhere is replaced.
  return target !== undefined && !target.isFile() && !target.isDirectory();
}
