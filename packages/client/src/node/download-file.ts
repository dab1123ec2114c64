import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Checksums } from '../checksums/index.js';
import { type DownloadOptions, download, type Received } from '../download.js';
import { hasCode } from '../errors.js';
import type { Operations } from '../operations.js';
import type { StoredObject } from '../types.js';

export interface FileDownload extends DownloadOptions {
  /** The file to write. It is replaced once all data has arrived and was verified. */
  readonly path: string;
}

/**
 * Downloads to a file. Until the download is complete, the data is in `<path>.<etag>.part`, from
 * where another call continues.
 */
export async function downloadFile(
  client: Operations,
  { path, ...options }: FileDownload,
  checksums: Checksums,
): Promise<StoredObject> {
  const { bucket, key, signal } = options;
  const object = await client.getObjectMeta({ bucket, key, signal });
  const part = `${path}.${object.etag.replace(/[^\w-]/g, '_')}.part`;
  const earlier = await receivedIn(part, object, checksums);
  if (earlier.size < object.size || object.size === 0) {
    const content = await download(client, options, checksums, earlier).catch(async (error) => {
      if (hasCode(error, 'PreconditionFailed')) await rm(part, { force: true });
      throw error;
    });
    await save(part, content.body, earlier.size).catch(async (error) => {
      if (hasCode(error, 'ChecksumMismatch')) await rm(part, { force: true });
      throw error;
    });
  }
  await rename(part, path);
  return object;
}

/** A partial file that cannot belong to this object is discarded. */
async function receivedIn(
  part: string,
  { size, etag, contentCrc32 }: StoredObject,
  checksums: Checksums,
): Promise<Received> {
  const found = await stat(part).catch(() => undefined); // Usually there is none.
  const none = { size: 0, crc32: 0, etag };
  if (found === undefined || found.size > size) return none;
  let crc32 = 0;
  for await (const chunk of createReadStream(part)) crc32 = checksums.crc32(chunk, crc32);
  const isWhole = found.size === size;
  return isWhole && contentCrc32 !== undefined && crc32 !== contentCrc32
    ? none
    : { size: found.size, crc32, etag };
}

async function save(
  part: string,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  start: number,
): Promise<void> {
  const file = await open(part, start === 0 ? 'w' : 'r+');
  try {
    let at = start;
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
        written += bytesWritten;
        at += bytesWritten;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
