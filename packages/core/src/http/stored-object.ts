import { Readable } from 'node:stream';
import type { Span } from '../model/content.js';
import type { ObjectRecord } from '../model/records.js';
import { metadataOf, storedHeader } from './object-headers.js';

/** What is known about an object, as a program reads it. */
export class StoredObject {
  readonly key: string;
  readonly record: ObjectRecord;

  constructor(key: string, record: ObjectRecord) {
    this.key = key;
    this.record = record;
  }

  /** Bytes of the whole object. */
  get size(): number {
    return this.record.size;
  }
  /** Without quotes. */
  get etag(): string {
    return this.record.etag;
  }
  get lastModified(): Date {
    return new Date(this.record.lastModified);
  }
  /** `Normal`, or `Appendable` when AppendObject made it. */
  get type(): ObjectRecord['type'] {
    return this.record.type;
  }
  get storageClass(): string {
    return this.record.storageClass;
  }
  get contentType(): string | undefined {
    return storedHeader(this.record, 'content-type');
  }
  get contentEncoding(): string | undefined {
    return storedHeader(this.record, 'content-encoding');
  }
  get contentLanguage(): string | undefined {
    return storedHeader(this.record, 'content-language');
  }
  get contentDisposition(): string | undefined {
    return storedHeader(this.record, 'content-disposition');
  }
  get cacheControl(): string | undefined {
    return storedHeader(this.record, 'cache-control');
  }
  get expires(): string | undefined {
    return storedHeader(this.record, 'expires');
  }
  /** User metadata, names in lower case without their `x-svc-meta-`. */
  get metadata(): Readonly<Record<string, string>> {
    return metadataOf(this.record);
  }
}

/** An object, or a range of it, with its bytes. */
export class ObjectContent extends StoredObject {
  /** Undefined: the whole object. */
  readonly range: Span | undefined;
  /** The bytes as the storage holds them: few in memory, many as a stream. */
  readonly content: Uint8Array | Readable;

  constructor(
    key: string,
    record: ObjectRecord,
    content: Uint8Array | Readable,
    range: Span | undefined,
  ) {
    super(key, record);
    this.content = content;
    this.range = range;
  }

  /** The bytes as a stream. Read it to its end or destroy it, so that its file is closed. */
  get body(): Readable {
    return this.content instanceof Readable ? this.content : Readable.from([this.content]);
  }

  /** The bytes in memory. */
  async bytes(): Promise<Buffer> {
    if (!(this.content instanceof Readable)) return Buffer.from(this.content);
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.content) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  }
}
