import { type FileHandle, open, stat } from 'node:fs/promises';
import { StorageError } from '../errors.js';
import type { Readable } from '../upload/source.js';

/** A file as the body of an upload. It is opened for each piece, so you need not close anything. */
export async function fileBody(path: string): Promise<Readable> {
  const known = await stat(path);
  if (!known.isFile()) throw new TypeError(`${path} is not a file.`);
  const check = async () => {
    const { size, mtimeMs, ino } = await stat(path);
    if (size === known.size && mtimeMs === known.mtimeMs && ino === known.ino) return;
    throw new StorageError(
      'SourceChanged',
      `${path} has changed during the upload. Start it again.`,
    );
  };
  /** New memory costs the system more time than reading a file that it has in memory. */
  const free: Uint8Array<ArrayBuffer>[] = [];
  return {
    size: known.size,
    check,
    release: (bytes) => void free.push(bytes),
    async read(start, end) {
      await check();
      const memory = free.pop();
      const size = end - start;
      const isEnough = memory !== undefined && memory.length >= size;
      const bytes = isEnough ? memory.subarray(0, size) : new Uint8Array(size);
      const file = await open(path);
      try {
        let filled = 0;
        while (filled < bytes.length) {
          const { bytesRead } = await file.read(
            bytes,
            filled,
            bytes.length - filled,
            start + filled,
          );
          if (bytesRead === 0) break; // The file has become shorter; the caller compares the length.
          filled += bytesRead;
        }
        if (end === known.size && (await hasMore(file, end))) {
          await check();
          const advice = 'Upload it as a stream, for example from standard input.';
          const message = `${path} has more data than its size of ${end} bytes. ${advice}`;
          throw new StorageError('SourceChanged', message);
        }
        return bytes.subarray(0, filled);
      } finally {
        await file.close();
      }
    },
  };
}

/** The system gives a size of 0 for files that it generates, such as those in `/proc`. */
async function hasMore(file: FileHandle, end: number): Promise<boolean> {
  const { bytesRead } = await file.read(new Uint8Array(1), 0, 1, end);
  return bytesRead > 0;
}
