import { randomUUID } from 'node:crypto';
import { type Client, StorageError } from '@bucketware/core';
import {
  checkOptions,
  type KnownOptions,
  kinds,
  type OptionKind,
} from '@bucketware/core/contracts';
import type { StorageEngine } from 'multer';

/** The methods that the engine calls: those of `storage`, or of `storage.as(principal)`. */
export type Objects = Pick<Client, 'putObject' | 'deleteObject'>;

type Request = Parameters<StorageEngine['_handleFile']>[0];
type File = Parameters<StorageEngine['_handleFile']>[1];

/** A value, or a function of the request and the file that returns a value or a promise. */
type Chosen<Value> = Value | Choice<Value>;

type Headers = Omit<
  Parameters<Objects['putObject']>[0],
  'bucket' | 'key' | 'body' | 'contentLength' | 'signal'
>;

export interface BucketEngineOptions {
  /**
   * `storage`, or a function that returns `storage.as(principal)`; the principal then needs the
   * permission to write.
   */
  readonly storage: Chosen<Objects>;
  /** The name of the bucket, which must exist. */
  readonly bucket: Chosen<string>;
  /** The key of the object. A later upload to the same key replaces it. Default: a random UUID. */
  readonly key?: ((req: Request, file: File) => string | Promise<string>) | undefined;
  /**
   * Headers, metadata and conditions of PutObject. Default: only `contentType`, as sent by the
   * browser. The sender can set it to anything.
   */
  readonly headers?: Chosen<Headers> | undefined;
}

/** The engine itself sets the others. */
const HEADERS: OptionKind = {
  is: 'a plain object without bucket, key, body, contentLength and signal',
  fits: (value) =>
    kinds.plainObject.fits(value) &&
    !Object.keys(value as object).some((name) =>
      /^(bucket|key|body|contentLength|signal)$/.test(name),
    ),
};

const orFunction = ({ fits, ...kind }: OptionKind): OptionKind => ({
  ...kind,
  is: `${kind.is}, or a function that returns it`,
  fits: (value) => kinds.aFunction.fits(value) || fits(value),
});

const OPTIONS: KnownOptions<BucketEngineOptions> = {
  storage: kinds.required(
    orFunction(kinds.having('a storage that is open', 'putObject', 'deleteObject')),
  ),
  bucket: kinds.required(orFunction(kinds.text)),
  key: kinds.aFunction,
  headers: orFunction(HEADERS),
};

/** The fields that the engine adds to `req.file`. `size` is in bytes. */
export interface StoredFile {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
}

/**
 * A storage engine for multer that stores each file as an object. Failures are `StorageError`s,
 * which multer passes to the app's error handler. Throws a TypeError for an invalid option.
 *
 * ```ts
 * const upload = multer({ storage: bucketEngine({ storage, bucket: 'uploads' }) });
 * ```
 */
export function bucketEngine(options: BucketEngineOptions): StorageEngine {
  checkOptions('bucketEngine()', options, OPTIONS);
  const { storage, bucket, key = () => randomUUID() } = options;
  const { headers = (_: Request, { mimetype }: File) => ({ contentType: mimetype }) } = options;
  const store = async (req: Request, file: File): Promise<StoredFile> => {
    const objects = await chosen(storage, req, file);
    const target = { bucket: await chosen(bucket, req, file), key: await key(req, file) };
    const given = await chosen(headers, req, file);
    checkOptions('bucketEngine()', { headers: given }, { headers: HEADERS });
    const put = () => objects.putObject({ ...given, ...target, body: whole(file) });
    const stored = isReceived(file) ? await uploadOf(req).inLane(put) : await put();
    const { size, etag, lastModified } = stored;
    return { ...target, size, etag, lastModified };
  };
  const remove = async (req: Request, file: File & Partial<StoredFile>): Promise<void> => {
    const objects = await chosen(storage, req, file);
    const { bucket: name = '', key: of = '', etag, lastModified } = file;
    // Someone else may have stored the same data with this key, which has the same ETag.
    const isOwn = { ifMatch: etag, ifLastModified: lastModified };
    try {
      await objects.deleteObject({ bucket: name, key: of, ...isOwn });
    } catch (error) {
      // The object has already been removed or replaced.
      if (!(error instanceof StorageError && GONE.has(error.code))) throw error;
    }
  };
  return {
    _handleFile(req, file, callback) {
      const upload = uploadOf(req);
      upload.add(file);
      if (req.destroyed) endWith(req, file);
      const storing = store(req, file).finally(() => upload.delete(file));
      storing.then(
        (stored) => callback(null, stored as Partial<File>),
        (error: unknown) => {
          // The form parser continues once the rest of the file has been read.
          file.stream.resume();
          callback(failed(error));
        },
      );
    },
    _removeFile(req, file, callback) {
      remove(req, file).then(
        () => callback(null),
        (error: unknown) => callback(failed(error)),
      );
    },
  };
}

type Choice<Value> = (req: Request, file: File) => Value | Promise<Value>;

const chosen = <Value>(of: Chosen<Value>, req: Request, file: File): Value | Promise<Value> =>
  typeof of === 'function' ? (of as Choice<Value>)(req, file) : of;

/** How many small files of a form are stored at a time. A form of 5 MB can contain 80,000. */
const LANES = 4;

/**
 * Whether a file has arrived completely. Any other one has to be read at once: the parser of the form
 * waits for that, and the files in the lanes could wait for the parser. Node has no public property
 * for it.
 */
const isReceived = ({ stream }: File): boolean =>
  (stream as { _readableState?: { ended?: boolean } })._readableState?.ended === true;

/**
 * How many files may have begun before the request is paused. The form parser does not wait for those
 * that fit into its buffers, of up to 64 KB each.
 */
const MOST_FILES = 256;

/** The files of a request. */
class Upload {
  /** Those that are not stored yet. */
  readonly files = new Set<File>();
  readonly #req: Request;
  #isPaused = false;
  readonly #lanes: Promise<unknown>[] = Array.from({ length: LANES }, () => Promise.resolve());
  #next = 0;

  constructor(req: Request) {
    this.#req = req;
  }

  add(file: File): void {
    this.files.add(file);
    if (this.files.size <= MOST_FILES) return;
    this.#isPaused = true;
    this.#req.pause();
  }

  delete(file: File): void {
    this.files.delete(file);
    if (!this.#isPaused || this.files.size > MOST_FILES / 2) return;
    this.#isPaused = false;
    this.#req.resume();
  }

  /** Starts when the calls before it in the same lane have ended. */
  inLane<Result>(call: () => Promise<Result>): Promise<Result> {
    const lane = this.#next++ % LANES;
    const result = (this.#lanes[lane] as Promise<unknown>).then(call);
    this.#lanes[lane] = result.catch(() => undefined);
    return result;
  }
}

const uploads = new WeakMap<Request, Upload>();

/** Node warns of more than ten listeners of a request, so its files share one. */
function uploadOf(req: Request): Upload {
  const known = uploads.get(req);
  if (known !== undefined) return known;
  const upload = new Upload(req);
  req.once('close', () => {
    for (const file of upload.files) endWith(req, file);
  });
  uploads.set(req, upload);
  return upload;
}

/** Without this, multer 1 leaves the file open when its form breaks off. */
function endWith(req: Request, { stream }: File): void {
  if (req.complete) return;
  stream.destroy(new StorageError('ReadBodyError', 'The client closed the connection.'));
}

/** To multer, a callback without an error reports success. A function of the app may reject with nothing. */
const failed = (error: unknown): Error =>
  (error as Error | undefined) || new Error('The upload failed without an error.');

const GONE = new Set(['NoSuchKey', 'PreconditionFailed']);

/**
 * Throws for a file that the app has begun to read or to decode, and at the end of one that multer truncated,
 * so that neither replaces anything. Such streams end like those of complete files.
 */
async function* whole({ stream }: File): AsyncGenerator<Uint8Array> {
  if (stream.readableDidRead) {
    const message =
      'The app has already read some of this file. Do not read file.stream in storage, bucket, key or headers.';
    throw new StorageError('InvalidArgument', message);
  }
  if (stream.readableEncoding !== null) {
    const message =
      'The app called setEncoding() on this file, so its bytes are lost. Do not call it in storage, bucket, key or headers.';
    throw new StorageError('InvalidArgument', message);
  }
  // Destroying the stream would stop the parser of the form.
  yield* stream.iterator({ destroyOnReturn: false });
  if ((stream as { truncated?: boolean }).truncated === true) {
    throw new StorageError('EntityTooLarge', 'The file is larger than the limit of multer.');
  }
}
