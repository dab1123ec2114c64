import type { Hash } from 'node:crypto';
import { SignatureError } from '../errors.js';
import { EMPTY_SHA256, startSha256 } from '../hashes.js';
import type { BodyReader } from './body-reader.js';
import { readTrailer, type TrailerRules } from './trailer.js';

export interface ChunkRules extends TrailerRules {
  /** The size of all chunks together, in bytes. */
  readonly size: number;
}

/**
 * The maximum size of the line before a chunk, and of everything after the last chunk, in bytes.
 */
const MAX_LINE = 256;
const MAX_TRAILER = 8192;

/**
 * This many chunks may have any size. If there are more, they must have a minimum size on average,
 * because a chunk of one byte takes as much time as a larger one. S3 requires 8 KiB in every chunk
 * but the last.
 */
const MANY_CHUNKS = 1000;
const MIN_AVERAGE = 256;

/**
 * If a piece of the body contains this many pieces of data, they are joined, because the reader may
 * need a write for each.
 */
const MANY_PIECES = 4;

const LINE_FEED = 10;
const HEADER = /^([0-9a-fA-F]{1,16})(?:;chunk-signature=([0-9a-f]{64}))?\r\n$/;

/**
 * Reads a body in the encoding `aws-chunked`: chunks of `<size in hex>[;chunk-signature=<hex>]`,
 * CR LF, the bytes and CR LF, then a chunk of size 0 and the trailing headers.
 *
 * The data of a chunk is passed on as it arrives, before its signature is verified. It can be
 * trusted only when the whole body has been read.
 */
export class ChunkReader implements BodyReader {
  readonly trailers = new Map<string, string>();
  readonly #rules: ChunkRules;
  #state: 'header' | 'bytes' | 'after bytes' | 'trailer' = 'header';
  /** The part of a line or of the trailer that has arrived. */
  #text = '';
  #chunks = 0;
  /** How many bytes of the chunk, and of the whole body, have not arrived yet. */
  #chunkLeft = 0;
  #bodyLeft: number;
  #signature = '';
  #hash: Hash | undefined;

  constructor(rules: ChunkRules) {
    this.#rules = rules;
    this.#bodyLeft = rules.size;
  }

  push(piece: Uint8Array): readonly Uint8Array[] {
    const found = [...this.#read(piece)];
    return found.length > MANY_PIECES ? [Buffer.concat(found)] : found;
  }

  *#read(piece: Uint8Array): Generator<Uint8Array> {
    let at = 0;
    while (at < piece.length) {
      if (this.#state === 'bytes') {
        const bytes = piece.subarray(at, at + this.#chunkLeft);
        at += bytes.length;
        this.#take(bytes);
        yield bytes;
      } else {
        const found = this.#state === 'trailer' ? -1 : piece.indexOf(LINE_FEED, at);
        const end = found < 0 ? piece.length : found + 1;
        this.#add(piece.subarray(at, end));
        at = end;
        if (found >= 0) this.#takeLine();
      }
    }
  }

  end(): void {
    if (this.#state !== 'trailer') throw incomplete('The body ends before its last chunk.');
    if (this.#bodyLeft > 0) {
      throw incomplete('The body is shorter than x-amz-decoded-content-length.');
    }
    for (const [name, value] of readTrailer(this.#text, this.#rules)) {
      this.trailers.set(name, value);
    }
  }

  #take(bytes: Uint8Array): void {
    this.#hash?.update(bytes);
    this.#chunkLeft -= bytes.length;
    if (this.#chunkLeft > 0) return;
    this.#state = 'after bytes';
    if (this.#hash) this.#rules.signing?.verifyChunk(this.#signature, this.#hash.digest('hex'));
  }

  #add(bytes: Uint8Array): void {
    const max = this.#state === 'trailer' ? MAX_TRAILER : MAX_LINE;
    if (this.#text.length + bytes.length > max) throw malformed();
    this.#text += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  #takeLine(): void {
    const line = this.#text;
    this.#text = '';
    if (this.#state === 'header') this.#openChunk(line);
    else if (line === '\r\n') this.#state = 'header';
    else throw malformed();
  }

  #openChunk(line: string): void {
    const { signing } = this.#rules;
    const [, digits, signature] = HEADER.exec(line) ?? [];
    if (digits === undefined || (signature === undefined) !== (signing === undefined)) {
      throw malformed();
    }
    const size = Number.parseInt(digits, 16);
    if (size > this.#bodyLeft) {
      throw incomplete('The chunks are longer than x-amz-decoded-content-length.');
    }
    this.#requireLarge();
    if (size === 0) signing?.verifyChunk(signature as string, EMPTY_SHA256);
    this.#state = size === 0 ? 'trailer' : 'bytes';
    this.#chunkLeft = size;
    this.#bodyLeft -= size;
    this.#signature = signature ?? '';
    this.#hash = signing && startSha256();
  }

  #requireLarge(): void {
    const taken = this.#rules.size - this.#bodyLeft;
    if (++this.#chunks <= MANY_CHUNKS + taken / MIN_AVERAGE) return;
    const message = `The chunks are too small. Send chunks of 8 KiB or more.`;
    throw new SignatureError('InvalidChunkSizeError', message);
  }
}

const incomplete = (message: string) => new SignatureError('IncompleteBody', message);
const malformed = () => incomplete('The body is not in the encoding aws-chunked.');
