import { type AppendOptions, append } from './append.js';
import { checksums as builtIn, type Checksums } from './checksums/index.js';
import { type DownloadOptions, download } from './download.js';
import type { ClientOptions } from './http/connection.js';
import * as lists from './lists.js';
import { Operations } from './operations.js';
import { written } from './parameters.js';
import type * as t from './types.js';
import type { UploadOptions } from './upload/options.js';
import { StartedUploads } from './upload/register.js';
import { startUpload, type Upload } from './upload/upload.js';

const METHODS = {
  getObject: 'GET',
  getObjectMeta: 'HEAD',
  putObject: 'PUT',
  uploadPart: 'PUT',
  deleteObject: 'DELETE',
} as const;

export interface PresignOptions extends t.OfObject, t.ObjectOptions, t.WriteConditions {
  readonly action: keyof typeof METHODS;
  /** How long the URL is valid, in seconds. Default 900. */
  readonly expiresIn?: number | undefined;
  readonly uploadId?: string | undefined;
  readonly partNumber?: number | undefined;
  readonly responseContentType?: string | undefined;
  readonly responseContentDisposition?: string | undefined;
}

/**
 * A client of one storage.
 *
 * ```ts
 * const storage = createClient({ endpoint: '/storage' });
 * await storage.upload({ bucket: 'photos', key: file.name, body: file, onProgress });
 * ```
 */
export class StorageClient extends Operations {
  readonly #endpoint: string;
  readonly #checksums: Checksums;
  readonly #started: StartedUploads;

  constructor(options: ClientOptions, checksums: Checksums = builtIn) {
    super(options);
    this.#endpoint = String(options.endpoint);
    this.#checksums = checksums;
    this.#started = new StartedUploads(options.uploadRegister);
  }

  /**
   * Uploads in parallel parts. Continues an earlier upload of the same data that this client has
   * started.
   */
  upload(options: UploadOptions): Upload {
    const place = `${this.#endpoint}/${options.bucket}/${options.key}`;
    const around = { place, started: this.#started, checksums: this.#checksums };
    return startUpload(this, options, around);
  }
  /** Downloads an object. The body is verified, and continues after the connection breaks. */
  download(options: DownloadOptions): Promise<t.ObjectContent> {
    return download(this, options, this.#checksums);
  }
  /** Adds data to the end of an object exactly once. Creates the object if there is none. */
  append(options: AppendOptions): Promise<t.Appended> {
    return append(this, options);
  }

  objects(given: Omit<t.ListObjects, 'delimiter'>): AsyncGenerator<t.ObjectItem, void> {
    return lists.objects(this, given);
  }
  uploads(given: Omit<t.ListUploads, 'delimiter'>): AsyncGenerator<t.UploadItem, void> {
    return lists.uploads(this, given);
  }
  parts(given: t.ListParts): AsyncGenerator<t.PartItem, void> {
    return lists.parts(this, given);
  }

  /** The URL of an object, for those who may read it: as `src` of an image, or as a link. */
  url({
    bucket,
    key,
    ...given
  }: Omit<t.GetObject, keyof t.ReadConditions | 'range' | 'signal'>): string {
    return this.connection.url({
      bucket,
      key: key ?? '',
      query: written(given, this.connection.prefix).query,
    });
  }

  /**
   * A URL for somebody without an access key. Whoever uses it must send the headers that were
   * signed.
   */
  presign({
    action,
    bucket,
    key,
    expiresIn = 900,
    signal: _,
    ...given
  }: PresignOptions): Promise<string> {
    const call = { method: METHODS[action], bucket, key: key ?? '' };
    return this.connection.presign(
      { ...call, ...written(given, this.connection.prefix) },
      expiresIn,
    );
  }
}

export const createClient = (options: ClientOptions): StorageClient => new StorageClient(options);
