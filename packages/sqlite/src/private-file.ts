import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates an empty file that only its owner can read, and its directories. If a file of this user
 * already exists and other users outside its group have access, its permissions are restricted.
 */
export async function makePrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a', 0o600);
  try {
    const { mode, uid } = await file.stat();
    if ((mode & 0o007) !== 0 && uid === process.getuid?.()) await file.chmod(0o600);
  } finally {
    await file.close();
  }
}
