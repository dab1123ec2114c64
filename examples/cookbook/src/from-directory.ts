import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type ObjectStorage, StorageError } from '@bucketware/storage';

/** The metadata of a copy: its key, and when the file was modified. */
const COPIED = 'copied-from';

/** A copy that a user makes of a copy has its metadata, too. Therefore, this names the key. */
const placeOf = (key: string) => `${createHash('sha256').update(key).digest('base64url')} `;

interface About {
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface From {
  /** For example, the `dest` of multer. */
  readonly directory: string;
  readonly bucket: string;
  /** What your app knows about a file, such as its original name. */
  readonly about?: (key: string) => About;
}

/** The new version would not have the list. */
const hasOwnList = (storage: ObjectStorage, object: { bucket: string; key: string }) =>
  storage.getObjectAcl(object).then(
    () => true,
    (error) => {
      if (error.code === 'ObjectAclNotExists') return false;
      throw error;
    },
  );

/**
 * Stores all files of a directory, with their paths as keys. Run it again to copy new and changed
 * files. Objects that something else has stored are never replaced, nor copies that have got an access
 * list of their own. Symbolic links are left out, and so are names that begin with a dot, which
 * express.static() does not serve either.
 */
export async function copyDirectory(storage: ObjectStorage, from: From): Promise<number> {
  const { directory, bucket, about = () => ({}) } = from;
  let copied = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const key = relative(directory, path).split(sep).join('/');
    if (!entry.isFile() || /(^|\/)\./.test(key)) continue;
    const { size, mtimeMs } = await stat(path);
    const copy = placeOf(key) + mtimeMs;
    const found = await storage.getObjectMeta({ bucket, key }).catch((error) => {
      if (error.code === 'NoSuchKey') return undefined;
      throw error;
    });
    const earlier = found?.metadata[COPIED] ?? '';
    const isOwn = found === undefined || earlier.startsWith(placeOf(key));
    if (!isOwn || earlier === copy) continue;
    if (found && (await hasOwnList(storage, { bucket, key }))) continue;
    const given: About = about(key);
    try {
      await storage.putObject({
        ...{ bucket, key, body: createReadStream(path), contentLength: size },
        ...{ ...given, metadata: { ...given.metadata, [COPIED]: copy } },
        ...(found ? { ifMatch: found.etag } : { ifNoneMatch: '*' }),
      });
      copied += 1;
    } catch (error) {
      // Something else has stored this object meanwhile.
      if (!(error instanceof StorageError && error.code === 'PreconditionFailed')) throw error;
    }
  }
  return copied;
}
