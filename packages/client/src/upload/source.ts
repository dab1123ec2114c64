import { crc32 } from '../checksums/crc32.js';
import { hasCode, StorageError } from '../errors.js';
import { utf8 } from '../http/encoding.js';
import { claim, endOf, readElsewhere, requireUnread } from './unread.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** What can be uploaded. A stream is read once, piece by piece. */
export type UploadBody =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Readable;

/** Data of a known size, whose pieces can be read in any order. */
export interface Readable {
  readonly size: number;
  /** From `start` up to, but not including, `end`. */
  read(start: number, end: number): Promise<Bytes>;
  /** The same data as something that can be sent without reading it here. */
  slice?(start: number, end: number): Blob;
  /** Called when data that `read` has returned is no longer needed: its memory can be reused. */
  release?(bytes: Bytes): void;
  /**
   * Rejects with SourceChanged if the data has changed since the upload began. `crc32`: that of all
   * data that was read.
   */
  check?(crc32?: number): Promise<unknown>;
  readonly type?: string | undefined;
}

export interface Piece {
  /** From 1. */
  readonly number: number;
  readonly bytes: Bytes;
  /** What to send: the bytes, or a Blob of them, which browsers send in less time. */
  readonly body: Bytes | Blob;
}

/** Returns the pieces of a body, each once. */
export interface Pieces {
  /** Undefined for a stream. */
  readonly size: number | undefined;
  /** `undefined` if there are no more. */
  next(): Promise<Piece | undefined>;
  /** The piece has arrived, and is no longer needed. */
  release(piece: Piece): void;
  /** Rejects with SourceChanged if the body has changed. `crc32`: that of all pieces. */
  check(crc32?: number): Promise<void>;
  /** Cancels a stream that will not be read further. */
  cancel(): Promise<void>;
}

function failAsChanged(cause: unknown): never {
  if (hasCode(cause, 'SourceChanged')) throw cause;
  const message = 'The file has changed or is gone. Choose it again.';
  throw new StorageError('SourceChanged', message, { cause });
}

type Direct = Blob | Uint8Array | ArrayBuffer | string | Readable;

function readable(body: Direct): Readable {
  if (typeof body === 'string') return readable(utf8(body));
  if (body instanceof ArrayBuffer) return readable(new Uint8Array(body));
  if (body instanceof Uint8Array) {
    body.at(0); // Bytes that were transferred look empty, but this throws a TypeError.
    const read = async (start: number, end: number) => body.slice(start, end) as Bytes;
    return { size: body.length, read };
  }
  if (!(body instanceof Blob)) {
    if (typeof body?.read === 'function') return body;
    throw new TypeError('body must be a File or Blob, bytes, text, a stream or an async iterable.');
  }
  return {
    size: body.size,
    type: body.type || undefined,
    read: async (start, end) => new Uint8Array(await body.slice(start, end).arrayBuffer()),
    slice: (start, end) => body.slice(start, end),
    async check(sum) {
      // A file that has changed can no longer be read, except in Firefox. A slice of an empty file
      // can: Chromium takes a file for empty if it had gone when its size was first read.
      if (sum === undefined || !/Firefox/.test(globalThis.navigator?.userAgent))
        return (body.size ? body.slice(0, 1) : body).arrayBuffer();
      const chunks = iteratorOf(body.stream());
      let crc = 0;
      for (;;) {
        const { done, value } = await chunks.next();
        if (done) return crc === sum || failAsChanged(sum);
        crc = crc32(value, crc);
      }
    },
  };
}

const isStream = (
  body: UploadBody,
): body is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  body instanceof ReadableStream || Symbol.asyncIterator in Object(body);

/** The size of a body in bytes, and the media type of a File or Blob. Undefined for a stream. */
export const known = (body: UploadBody): Pick<Readable, 'size' | 'type'> | undefined =>
  isStream(body) ? undefined : readable(body as Direct);

export const piecesOf = (body: UploadBody, pieceSize: number): Pieces =>
  isStream(body) ? streamed(body, pieceSize) : sliced(readable(body as Direct), pieceSize);

function sliced(data: Readable, pieceSize: number): Pieces {
  const { size } = data;
  let last = 0;
  return {
    size,
    async next() {
      const number = last + 1;
      const start = last * pieceSize;
      // An empty body is one empty piece.
      if (start >= size && number > 1) return undefined;
      last = number;
      const end = Math.min(start + pieceSize, size);
      const bytes = await data.read(start, end).catch(failAsChanged);
      if (bytes.length !== end - start) failAsChanged(undefined);
      return { number, bytes, body: data.slice?.(start, end) ?? bytes };
    },
    release: ({ bytes }) => data.release?.(bytes),
    check: async (sum) => void (await data.check?.(sum).catch(failAsChanged)),
    cancel: async () => {},
  };
}

/** Reads of a stream are serialized. */
function streamed(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>,
  pieceSize: number,
): Pieces {
  claim(body);
  const isCut = endOf(body);
  const chunks = iteratorOf(body);
  let rest: Bytes = new Uint8Array(0);
  /** The first half of a character whose second half is at the start of the next chunk. */
  let half = '';
  let last = 0;
  let ended = false;
  const read = async (): Promise<Piece | undefined> => {
    if (ended) return undefined;
    if (last === 0) requireUnread(body);
    const bytes = new Uint8Array(pieceSize);
    let filled = 0;
    while (filled < pieceSize && !ended) {
      if (rest.length === 0) {
        const { done, value } = await chunks.next();
        if (done && isCut()) throw readElsewhere();
        if (typeof value === 'string' && !done) {
          const whole = (half + value).replace(/[\ud800-\udbff]?$/, (end) => {
            half = end;
            return '';
          });
          rest = bytesOf(whole);
        } else {
          ended = done === true && half === '';
          const bytes = done ? rest : bytesOf(value);
          rest = half === '' ? bytes : new Uint8Array([...bytesOf(half), ...bytes]);
          half = '';
        }
      }
      const taken = rest.subarray(0, pieceSize - filled);
      bytes.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
    }
    if (filled === 0 && last > 0) return undefined;
    last++;
    const read = bytes.subarray(0, filled);
    return { number: last, bytes: read, body: read };
  };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    size: undefined,
    next() {
      const piece = turn.then(read);
      turn = piece.catch(() => {}); // The reader of the piece gets the error.
      return piece;
    },
    release: () => {},
    check: async () => {},
    cancel: async () => {
      if (!ended) await chunks.return?.();
    },
  };
}

function bytesOf(chunk: unknown): Bytes {
  if (typeof chunk === 'string') return utf8(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (!ArrayBuffer.isView(chunk)) {
    throw new TypeError(`The chunks of a body must be strings or bytes, not ${typeof chunk}.`);
  }
  return new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
}

/** Not every browser iterates over streams. */
function iteratorOf<Chunk>(
  body: ReadableStream<Chunk> | AsyncIterable<Chunk>,
): AsyncIterator<Chunk> {
  if (!(body instanceof ReadableStream)) return body[Symbol.asyncIterator]();
  const reader = body.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Chunk>>,
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
