import { closeSync, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { bytesDone } from '@bucketware/core/contracts';
import { type Entry, fileEntry } from '../transfer/entry.js';

const opened = promisify(open);

/**
 * All of a small file; `undefined` if it has changed since it was listed. Only calls that may wait
 * for the disk run in another thread, because that takes longer.
 */
export async function readSmall(file: Entry): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { path, size, modified } = file;
  const fd = await opened(path, 'r');
  try {
    // One byte more shows that a file has grown.
    const bytes = new Uint8Array(size + 1);
    const bytesRead = await bytesDone((done) => read(fd, bytes, 0, bytes.length, 0, done));
    const now = fileEntry(path, fstatSync(fd));
    const isSame = bytesRead === size && now.size === size && now.modified === modified;
    return isSame ? bytes.subarray(0, size) : undefined;
  } finally {
    closeSync(fd);
  }
}
