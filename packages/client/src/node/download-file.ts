import type { FileHandle } from 'node:fs/promises';
import type { Checksums } from '../checksums/index.js';
import { type DownloadOptions, download, isEncoded, type Received } from '../download.js';
import { hasCode } from '../errors.js';
import { refuseUnknown } from '../names.js';
import type { Operations } from '../operations.js';
import type { StoredObject } from '../types.js';
import { complete, keepPartial, openPartial, removePartial } from './partial-file.js';

export interface FileDownload extends DownloadOptions {
  /** The file to write. It is replaced once all data has arrived and was verified. */
  readonly path: string;
}

/**
 * Downloads to a file. Until the download is complete, the data is in a partial file beside it, from
 * where another call continues. If the data has a `Content-Encoding`, each call starts anew.
 */
export async function downloadFile(
  client: Operations,
  { path, ...options }: FileDownload,
  checksums: Checksums,
): Promise<StoredObject> {
  const { bucket, key, signal } = options;
  refuseUnknown('downloadFile() has no option', options, ['bucket', 'key', 'signal', 'onProgress']);
  const object = await client.getObjectMeta({ bucket, key, signal });
  const part = await openPartial(path, object.etag);
  const { file } = part;
  try {
    // The partial file has the decoded data, and a range would be one of the encoded data.
    let earlier = isEncoded(object) ? undefined : await receivedIn(file, object, checksums);
    if (earlier === undefined) {
      await file.truncate();
      earlier = { size: 0, crc32: 0, etag: object.etag };
    }
    if (earlier.size < object.size || object.size === 0) {
      const content = await download(client, options, checksums, earlier);
      await save(file, content.body, earlier.size);
    }
    await complete(part, path);
  } catch (error) {
    const isUseless = ['PreconditionFailed', 'ChecksumMismatch'].some((code) =>
      hasCode(error, code),
    );
    await (isUseless ? removePartial(part) : keepPartial(part));
    throw error;
  } finally {
    await file.close();
  }
  return object;
}

/** What a partial file has; `undefined` if that cannot belong to this object. */
async function receivedIn(
  file: FileHandle,
  { size: total, etag, contentCrc32 }: StoredObject,
  checksums: Checksums,
): Promise<Received | undefined> {
  const { size } = await file.stat();
  if (size > total) return undefined;
  let crc32 = 0;
  if (size > 0) {
    const stream = file.createReadStream({ start: 0, autoClose: false });
    for await (const chunk of stream) crc32 = checksums.crc32(chunk, crc32);
  }
  const isDamaged = size === total && contentCrc32 !== undefined && crc32 !== contentCrc32;
  return isDamaged ? undefined : { size, crc32, etag };
}

async function save(
  file: FileHandle,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  start: number,
): Promise<void> {
  let at = start;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    for (let written = 0; written < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
      written += bytesWritten;
      at += bytesWritten;
    }
  }
}
