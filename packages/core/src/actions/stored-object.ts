import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import type { Span } from '../engine/content/content.js';
import { toBase64 } from '../engine/content/digests.js';
import type { LifecycleExplanation } from '../engine/lifecycle/explain.js';
import { checksumsOf } from '../engine/objects/checksums.js';
import type { FoundPart } from '../engine/objects/parts.js';
import type { ObjectChecksum } from '../engine/records/checksums.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import { metadataOf, storedHeader } from './parameters/object-headers.js';

/** The record of a stored object, hidden from programs. */
export let recordOf: (object: StoredObject) => ObjectRecord;

/** What is known about an object in addition to its record. */
export interface KnownOfObject {
  readonly tagCount?: number | undefined;
  readonly expiration?: LifecycleExplanation | undefined;
}

/** The requested part or range of an object, and what else is known about it. */
interface Details extends KnownOfObject {
  readonly range?: Span | undefined;
  readonly part?: FoundPart | undefined;
}

/** The properties of an object, as a program reads them. */
export class StoredObject {
  readonly key: string;
  /** The number of tags, if the caller may read them. */
  readonly tagCount: number | undefined;
  /**
   * Which lifecycle rule will remove the object, and when. Set only after reading or writing the
   * whole object.
   */
  readonly expiration: LifecycleExplanation | undefined;
  readonly #record: ObjectRecord;
  /** The requested part, if a part was requested. */
  readonly part: FoundPart | undefined;
  /**
   * From `start` up to, but not including, `end`; `undefined` if the whole object was requested.
   */
  readonly range: Span | undefined;

  static {
    recordOf = (object) => object.#record;
  }

  constructor(key: string, record: ObjectRecord, details: Details = {}) {
    const { range, part, tagCount, expiration } = details;
    this.key = key;
    this.tagCount = tagCount;
    this.expiration = expiration;
    this.#record = record;
    this.part = part;
    this.range = range;
  }

  /** The size of the whole object, in bytes. */
  get size(): number {
    return this.#record.size;
  }
  /** The ETag, without quotes. */
  get etag(): string {
    return this.#record.etag;
  }
  get lastModified(): Date {
    return new Date(this.#record.lastModified);
  }
  /** `Normal`, or `Appendable` when AppendObject created it. */
  get type(): ObjectRecord['type'] {
    return this.#record.type;
  }
  get storageClass(): string {
    return this.#record.storageClass;
  }
  /** Base64 of the MD5 of the whole object, if known. */
  get contentMd5(): string | undefined {
    const { md5 } = this.#record;
    return md5 === undefined ? undefined : toBase64(md5);
  }
  /** The CRC-32 of the whole object, if known. */
  get contentCrc32(): number | undefined {
    return this.#record.crc32;
  }
  /**
   * The checksum that the writer chose to store with the object, otherwise the CRC-32, if known.
   * `value` is hexadecimal. With type `composite`, it is the checksum of the parts' checksums,
   * followed by `-` and the number of parts.
   */
  get checksum(): ObjectChecksum | undefined {
    return checksumsOf(this.#record)[0];
  }
  /** How many parts the object was completed from; `undefined` if it was not uploaded in parts. */
  get partsCount(): number | undefined {
    return this.#record.parts;
  }
  get contentType(): string | undefined {
    return storedHeader(this.#record, 'content-type');
  }
  get contentEncoding(): string | undefined {
    return storedHeader(this.#record, 'content-encoding');
  }
  get contentLanguage(): string | undefined {
    return storedHeader(this.#record, 'content-language');
  }
  get contentDisposition(): string | undefined {
    return storedHeader(this.#record, 'content-disposition');
  }
  get cacheControl(): string | undefined {
    return storedHeader(this.#record, 'cache-control');
  }
  get expires(): string | undefined {
    return storedHeader(this.#record, 'expires');
  }
  /** User metadata, with names in lower case and without `x-svc-meta-`. */
  get metadata(): Readonly<Record<string, string>> {
    return metadataOf(this.#record);
  }

  /** The properties that `JSON.stringify` shows. */
  toJSON(): Record<string, unknown> {
    const shown: Record<string, unknown> = { key: this.key };
    for (const name of SHOWN) if (this[name] !== undefined) shown[name] = this[name];
    return shown;
  }

  [inspect.custom](): unknown {
    return this.toJSON();
  }
}

const SHOWN = [
  ...(['size', 'etag', 'lastModified', 'type', 'storageClass', 'contentMd5'] as const),
  ...(['contentCrc32', 'contentType', 'contentEncoding', 'contentLanguage'] as const),
  ...(['contentDisposition', 'cacheControl', 'expires', 'metadata'] as const),
  ...(['tagCount', 'expiration'] as const),
];

/** The data as the storage returns it: in memory if small, otherwise as a stream. */
export let contentOf: (object: ObjectContent) => Uint8Array | Readable;

/** An object, or a range of it, with its data, which can be read once. */
export class ObjectContent extends StoredObject {
  readonly #content: Uint8Array | Readable;
  #body: Readable | undefined;
  #taken = false;

  static {
    contentOf = (object) => object.#content;
  }

  constructor(
    key: string,
    record: ObjectRecord,
    content: Uint8Array | Readable,
    details?: Details,
  ) {
    super(key, record, details);
    this.#content = content;
  }

  /**
   * The data as a Node stream. The first read opens its file. If the stream is then not read for a
   * minute (`readTimeout`), it fails and the file is closed. Throws a TypeError if the data was
   * already read in another way.
   */
  get body(): Readable {
    if (this.#taken) throw wasTaken();
    return this.#stream();
  }

  /** The data as a web stream. Throws a TypeError if it was already read. */
  stream(): ReadableStream<Uint8Array> {
    this.#take();
    return Readable.toWeb(this.#stream()) as ReadableStream<Uint8Array>;
  }

  /** The data in memory. Rejects with a TypeError if it was already read. */
  async bytes(): Promise<Buffer> {
    this.#take();
    if (!(this.#content instanceof Readable)) return Buffer.from(this.#content);
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#content) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  }

  #stream(): Readable {
    this.#body ??=
      this.#content instanceof Readable
        ? this.#content
        : Readable.from([this.#content], { objectMode: false });
    return this.#body;
  }

  /**
   * Two readers would each get only some of the data without noticing, so only the first one may
   * read.
   */
  #take(): void {
    const body = this.#body ?? this.#content;
    if (this.#taken || (body instanceof Readable && isBeingRead(body))) throw wasTaken();
    this.#taken = true;
  }

  /** The data in memory, in its own ArrayBuffer. */
  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = await this.bytes();
    return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
  }

  /** The data as UTF-8 text. A byte order mark is removed. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /** The data parsed as JSON in UTF-8. Rejects with a SyntaxError if it is not JSON. */
  async json<T = unknown>(): Promise<T> {
    return JSON.parse(await this.text()) as T;
  }
}

/** Whether a stream is already being read, so that it flows or was paused. */
const isBeingRead = (body: Readable): boolean =>
  body.readableFlowing !== null ||
  body.readableDidRead ||
  (body.destroyed && body.errored === null);

const wasTaken = () =>
  new TypeError('The data of this object was already read. Call getObject again.');
