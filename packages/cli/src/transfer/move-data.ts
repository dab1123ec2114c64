import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { fileBody } from '@bucketware/client/node';
import mime from 'mime';
import { mayHideChange, setFileTime } from '../files/file-time.js';
import { readSmall } from '../files/read-small.js';
import { replaceFile } from '../files/replace-file.js';
import { isSame } from '../files/same-content.js';
import type { RemotePlace } from '../location.js';
import type { Store } from '../store/store.js';
import { type Entry, fileEntry } from './entry.js';

export interface UploadHeaders {
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * The transfer of one file or object. `onBytes` is called with the total number of transferred
 * bytes.
 */
export interface Job {
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly onBytes: (loaded: number) => void;
}

/** Files of up to this size are transferred in one piece, which need not be continued. */
const SMALL = 1024 * 1024;

/** How many times a file is sent if it changes each time. */
const ATTEMPTS = 4;

/**
 * Uploads a file. Continues an earlier upload of it. Resolves to the file as it was uploaded. If it
 * has changed meanwhile, it is sent again: its object is newer than the change, so a later `sync`
 * would not notice it.
 */
export async function upload(
  job: Job,
  listed: Entry,
  to: RemotePlace,
  headers: UploadHeaders,
): Promise<Entry & { etag: string }> {
  let file = listed;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const begunAt = Date.now();
    const { sent, etag } = await send(job, file, to, headers);
    const found = statSync(file.path, { throwIfNoEntry: false });
    if (found === undefined) return { ...sent, etag };
    file = fileEntry(file.path, found);
    const isCertain = isEqual(file, sent) && !mayHideChange(file, begunAt);
    if (isCertain || (await isSame(file.path, etag, job.signal))) {
      return { ...file, etag };
    }
  }
  const advice = 'The object may be out of date: upload the file again with cp.';
  throw new Error(`${file.path} has changed during each of ${ATTEMPTS} uploads. ${advice}`);
}

const isEqual = (a: Entry, b: Entry): boolean => a.size === b.size && a.modified === b.modified;

async function send(
  { store, signal, onBytes }: Job,
  file: Entry,
  to: RemotePlace,
  headers: UploadHeaders,
): Promise<{ sent: Entry; etag: string }> {
  const { path, size } = file;
  const contentType = headers.contentType ?? typeOf(path);
  const given = { ...to, ...headers, contentType, signal };
  const bytes = size <= SMALL ? await readSmall(file) : undefined;
  if (bytes !== undefined) {
    const { local, client } = store;
    const contentCrc32 = crc32(bytes);
    const { etag } = await (local?.putObject({
      ...given,
      body: bytes,
      contentLength: size,
      contentCrc32,
    }) ?? client.putObject({ ...given, body: bytes, contentCrc32 }));
    onBytes(size);
    return { sent: file, etag };
  }
  const sent = fileEntry(path, await stat(path));
  const body = await fileBody(path);
  const onProgress = ({ loaded }: { loaded: number }) => onBytes(loaded);
  const { etag } = await store.client.upload({ ...given, body, onProgress });
  return { sent, etag };
}

/** The media type by file name. Unknown names have none. */
const typeOf = (path: string): string | undefined => mime.getType(path) ?? undefined;

/**
 * Downloads an object to a file with the same modification time. Continues an earlier download.
 * Resolves to the ETag of the data.
 */
export async function download(
  { store, signal, onBytes }: Job,
  from: RemotePlace,
  size: number,
  path: string,
): Promise<string> {
  const begunAt = Date.now();
  if (size <= SMALL) {
    const { local, client } = store;
    const found = await (local?.getObject(from) ?? client.download({ ...from, signal }));
    const data = await found.bytes();
    await replaceFile(path, data);
    await setFileTime(path, found.lastModified.getTime(), begunAt);
    onBytes(data.length);
    return found.etag;
  }
  const onProgress = ({ loaded }: { loaded: number }) => onBytes(loaded);
  const object = await store.client.downloadFile({ ...from, path, signal, onProgress });
  await setFileTime(path, object.lastModified.getTime(), begunAt);
  return object.etag;
}

/** The largest object that CopyObject copies. Such copies have the ETags of their sources. */
export const LARGEST_COPY = 5 * 1000 ** 3;
const PART = 1024 ** 3;

/** Copies within the storage. No data passes through this process. */
export async function copy(
  { store: { client }, signal, onBytes }: Job,
  source: RemotePlace,
  size: number,
  to: RemotePlace,
): Promise<void> {
  if (size <= LARGEST_COPY) {
    await client.copyObject({ ...to, source, signal });
    return onBytes(size);
  }
  const { etag, contentType, metadata, ...found } = await client.getObjectMeta({
    ...source,
    signal,
  });
  const { contentEncoding, contentLanguage, contentDisposition, cacheControl, expires } = found;
  const { uploadId } = await client.initiateMultipartUpload({
    ...{ ...to, contentType, metadata, contentEncoding, contentLanguage, contentDisposition },
    ...{ cacheControl, expires, signal },
  });
  try {
    const parts = [];
    for (let start = 0, partNumber = 1; start < size; start += PART, partNumber++) {
      const end = Math.min(start + PART, size);
      const range = `bytes=${start}-${end - 1}`;
      const part = { ...to, uploadId, partNumber, source, range, ifMatch: etag, signal };
      parts.push({ partNumber, etag: (await client.uploadPartCopy(part)).etag });
      onBytes(end);
    }
    await client.completeMultipartUpload({ ...to, uploadId, parts, signal });
  } catch (error) {
    // Copies are quick, so they are not continued. The first failure is the one to report.
    await client.abortMultipartUpload({ ...to, uploadId }).catch(() => {});
    throw error;
  }
}

/** Whether a file is still as it was listed. */
export const isUnchanged = async (file: Entry): Promise<boolean> =>
  isEqual(fileEntry(file.path, await stat(file.path)), file);
