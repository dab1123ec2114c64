import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ObjectStorage } from '@bucketware/storage';

interface From {
  /** For example, the `dest` of multer. */
  readonly directory: string;
  readonly bucket: string;
  /** What your app knows about a file, such as its original name. */
  readonly about?: (key: string) => { contentType?: string; metadata?: Record<string, string> };
}

/** Stores all files of a directory, with their paths as keys. Run it again to copy new files. */
export async function copyDirectory(storage: ObjectStorage, from: From): Promise<number> {
  const { directory, bucket, about = () => ({}) } = from;
  let copied = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const key = relative(directory, path).split(sep).join('/');
    const { size } = await stat(path);
    const found = await storage.getObjectMeta({ bucket, key }).catch(() => undefined);
    if (found?.size === size) continue;
    const body = createReadStream(path);
    await storage.putObject({ bucket, key, body, contentLength: size, ...about(key) });
    copied += 1;
  }
  return copied;
}
