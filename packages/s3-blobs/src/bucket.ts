import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Connections } from './connections.js';
import { isRefusal, RequestError, statusOf } from './failures.js';
import { nextStart, type Page, type PageStart } from './listing.js';
import { nameOf, type Place } from './place.js';
import { startOf } from './read-stream.js';
import { Requests } from './requests.js';

export type Credentials = NonNullable<S3ClientConfig['credentials']>;

/** A part of an upload that has arrived. */
export interface Part {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/**
 * An object to store. With `ifNew`, it replaces no existing one if the store supports conditions.
 */
export interface Put {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly ifNew: boolean;
}

/** An upload in parts. */
export interface Upload {
  readonly key: string;
  readonly id: string;
}

/** A small body, with the `Content-Range` of the response. */
interface Few {
  readonly bytes: Buffer;
  readonly range: string | undefined;
}

interface Copy {
  readonly from: string;
  readonly to: string;
}

/** The requests that the driver makes. Keys are relative to the prefix. */
// Not named Bucket, because every request has a field with that name, and TypeScript 7.0 confuses
// the two.
export class S3Bucket {
  readonly place: string;
  readonly #connections = new Connections();
  readonly #client: S3Client;
  readonly #requests: Requests;
  readonly #bucket: string;
  readonly #prefix: string;
  /** `true` until the store reports that it does not support conditions. */
  #hasConditions = true;

  constructor(place: Place, timeout: number, credentials: Credentials | undefined) {
    this.place = nameOf(place);
    this.#bucket = place.bucket;
    this.#prefix = place.prefix;
    this.#requests = new Requests(this.place, timeout);
    this.#client = new S3Client({
      ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint }),
      ...(place.region === undefined ? {} : { region: place.region }),
      ...(credentials === undefined ? {} : { credentials }),
      forcePathStyle: place.pathStyle,
      // `Requests` repeats attempts itself, to know whether one may still take effect.
      maxAttempts: 1,
      // Each request is signed with the SHA-256 of its body, which every store verifies. Not all
      // stores support other checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // With the header, each larger body would use a new connection.
      expectContinueHeader: false,
      requestHandler: {
        ...{ requestTimeout: 0, socketTimeout: 0, connectionTimeout: this.attemptTimeout },
        ...this.#connections.agents,
      },
    });
  }

  /** How long to wait for a response, or for more of it, in milliseconds. */
  get attemptTimeout(): number {
    return this.#requests.attemptTimeout;
  }

  async put({ key, bytes, ifNew }: Put): Promise<void> {
    const input = { ...this.#at(key), Body: bytes, ContentLength: bytes.byteLength };
    const isConditional = ifNew && this.#hasConditions;
    const condition = isConditional ? { IfNoneMatch: '*' } : {};
    try {
      await this.#requests.send('PutObject', (abortSignal) =>
        this.#client.send(new PutObjectCommand({ ...input, ...condition }), { abortSignal }),
      );
    } catch (error) {
      if (!isConditional || !isRefusal(error, 'NotImplemented')) throw error;
      this.#hasConditions = false;
      await this.put({ key, bytes, ifNew });
    }
  }

  /** Resolves when the response begins. The caller then reads its body. */
  get(key: string, range?: string, ifMatch?: string) {
    const input = { ...this.#at(key), Range: range, IfMatch: ifMatch };
    return this.#requests.send('GetObject', (abortSignal) =>
      this.#client.send(new GetObjectCommand(input), { abortSignal }),
    );
  }

  /** Resolves when the whole body has been read, or more than `limit` bytes of it. */
  getFew(key: string, limit: number, range?: string): Promise<Few> {
    const input = { ...this.#at(key), Range: range };
    return this.#requests.send('GetObject', async (abortSignal) => {
      const { Body, ContentRange } = await this.#client.send(new GetObjectCommand(input), {
        abortSignal,
      });
      return { bytes: await startOf(Body as Readable, limit), range: ContentRange };
    });
  }

  /** The size of an object in bytes, or `undefined` if there is no such object. */
  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#requests.send('HeadObject', (abortSignal) =>
        this.#client.send(new HeadObjectCommand(this.#at(key)), { abortSignal }),
      );
      return ContentLength ?? 0;
    } catch (error) {
      if (error instanceof RequestError && statusOf(error.cause) === 404) return undefined;
      throw error;
    }
  }

  copy({ from, to }: Copy) {
    const input = { ...this.#at(to), CopySource: this.#source(from) };
    return this.#requests.send('CopyObject', (abortSignal) =>
      this.#client.send(new CopyObjectCommand(input), { abortSignal }),
    );
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#requests.send('DeleteObject', (abortSignal) =>
        this.#client.send(new DeleteObjectCommand(this.#at(key)), { abortSignal }),
      );
    } catch (error) {
      if (!isRefusal(error, 'NoSuchKey')) throw error;
    }
  }

  /** Lists a page of the objects with a prefix. */
  async list(prefix: string, start: PageStart = {}): Promise<Page> {
    const input = { Bucket: this.#bucket, Prefix: this.#prefix + prefix, ...start };
    const page = await this.#requests.send('ListObjects', (abortSignal) =>
      this.#client.send(new ListObjectsV2Command(input), { abortSignal }),
    );
    const objects = (page.Contents ?? []).map(({ Key = '', Size = 0 }) => ({
      key: Key.slice(this.#prefix.length),
      size: Size,
    }));
    return { objects, next: nextStart(page, start, this.place) };
  }

  async beginUpload(key: string): Promise<string> {
    const { UploadId } = await this.#requests.send('CreateMultipartUpload', (abortSignal) =>
      this.#client.send(new CreateMultipartUploadCommand(this.#at(key)), { abortSignal }),
    );
    if (UploadId === undefined) throw new Error(`${this.place} began an upload without an id.`);
    return UploadId;
  }

  async putPart(
    upload: Upload,
    number: number,
    Body: Uint8Array,
    signal?: AbortSignal,
  ): Promise<Part> {
    const input = { ...this.#of(upload), PartNumber: number, Body, ContentLength: Body.byteLength };
    const { ETag } = await this.#requests.send(
      'UploadPart',
      (abortSignal) => this.#client.send(new UploadPartCommand(input), { abortSignal }),
      signal,
    );
    return { PartNumber: number, ETag };
  }

  async copyPart(upload: Upload, number: number, from: string, range: string): Promise<Part> {
    const input = {
      ...{ ...this.#of(upload), PartNumber: number },
      ...{ CopySource: this.#source(from), CopySourceRange: range },
    };
    const { CopyPartResult } = await this.#requests.send('UploadPartCopy', (abortSignal) =>
      this.#client.send(new UploadPartCopyCommand(input), { abortSignal }),
    );
    return { PartNumber: number, ETag: CopyPartResult?.ETag };
  }

  complete(upload: Upload, parts: readonly Part[]) {
    const input = { ...this.#of(upload), MultipartUpload: { Parts: [...parts] } };
    return this.#requests.send('CompleteMultipartUpload', (abortSignal) =>
      this.#client.send(new CompleteMultipartUploadCommand(input), { abortSignal }),
    );
  }

  async abort(upload: Upload): Promise<void> {
    await this.#requests.send('AbortMultipartUpload', (abortSignal) =>
      this.#client.send(new AbortMultipartUploadCommand(this.#of(upload)), { abortSignal }),
    );
  }

  /** Closes idle connections. Open streams continue. */
  close(): void {
    this.#connections.close();
  }

  #at(key: string) {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  #of({ key, id }: Upload) {
    return { ...this.#at(key), UploadId: id };
  }

  #source(key: string): string {
    return `${this.#bucket}/${encodeURIComponent(this.#prefix + key)}`;
  }
}
