import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Checksums } from '../checksums/index.js';
import { StorageClient } from '../client.js';
import type { ClientOptions } from '../http/connection.js';
import type { StoredObject } from '../types.js';
import { downloadFile, type FileDownload } from './download-file.js';
import { fetchInNode } from './fetch.js';

export * from '../index.js';
export { partSizeFor } from '../upload/part-size.js';
export type { FileDownload } from './download-file.js';
export { fetchOverHttp } from './fetch.js';
export { fileBody } from './file-body.js';
export { isPartialName, PARTIAL_PREFIX } from './partial-name.js';
export { modeOfReplaced } from './replaced-file.js';
export { uploadRegister } from './upload-register.js';

const checksums: Checksums = {
  crc32: (bytes, before) => crc32(bytes, before),
  md5: (bytes) => hash('md5', bytes, 'hex'),
};

/**
 * A client that can also upload files (`upload()` with `body: await fileBody(path)`) and download
 * to files.
 */
export class NodeStorageClient extends StorageClient {
  constructor(options: ClientOptions) {
    super({ ...options, fetch: options?.fetch ?? fetchInNode }, checksums);
  }

  /** Downloads to a file. Continues an earlier download. */
  downloadFile(options: FileDownload): Promise<StoredObject> {
    return downloadFile(this, options, checksums);
  }
}

export const createClient = (options: ClientOptions): NodeStorageClient =>
  new NodeStorageClient(options);
