import type { Hash } from 'node:crypto';
import { SignatureError } from '../errors.js';
import { EMPTY_SHA256, startSha256 } from '../hashes.js';
import { MAX_TRAILERS } from '../limits.js';
import type { HeaderFields } from '../request.js';
import type { BodyReader } from './body-reader.js';
import type { ChunkSigning } from './chunk-signing.js';
import { ChunkReader } from './chunks.js';

/** What the signature states about the body. */
export interface Payload {
  /** The size of the decoded body, in bytes, if it arrives in signed or unsigned chunks. */
  readonly size: number | undefined;
  /** The SHA-256 of the body in hex, if the client sent it. */
  readonly sha256: string | undefined;
  /** The names of the trailing headers that were announced, in lower case. */
  readonly announced: readonly string[];
  /** The trailing headers, once the body has been read to its end. */
  readonly trailers: ReadonlyMap<string, string>;
  /**
   * Decodes and verifies the body as it arrives. Iterating throws a {@link SignatureError} if the
   * body is not the signed one, possibly only at its end, so commit nothing before that. Call it
   * once.
   */
  open(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Does the same for a body in memory, instead of `open`. */
  decode(body: Uint8Array): Uint8Array;
}

export const UNSIGNED = 'UNSIGNED-PAYLOAD';
const STREAMING = /^STREAMING-(AWS4-HMAC-SHA256|UNSIGNED)-PAYLOAD(-TRAILER)?$/;

/** Throws unless a mode is a hash or the name of a known mode. */
export function requireKnownMode(mode: string): void {
  const isHash = /^[0-9a-f]{64}$/.test(mode);
  if (isHash || mode === UNSIGNED || isStreaming(mode)) return;
  const message =
    'x-amz-content-sha256 must be the SHA-256 of the body in lower-case hex, UNSIGNED-PAYLOAD, ' +
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD, the same with -TRAILER, or STREAMING-UNSIGNED-PAYLOAD-TRAILER.';
  throw new SignatureError('InvalidArgument', message);
}

const isStreaming = (mode: string): boolean =>
  STREAMING.test(mode) && mode !== 'STREAMING-UNSIGNED-PAYLOAD';

/** `startSigning` is `undefined` if the request is not signed. */
export function payloadOf(
  mode: string,
  headers: HeaderFields,
  startSigning: (() => ChunkSigning) | undefined,
): Payload {
  const announced = namesOf(headers.one('x-amz-trailer'));
  if (!isStreaming(mode)) {
    requirePlain(headers, announced);
    const sha256 = mode === UNSIGNED ? undefined : mode;
    const reader = sha256 === undefined ? PLAIN : new DigestReader(sha256);
    return new ReadPayload(reader, { size: undefined, sha256, announced, trailers: NO_TRAILERS });
  }
  const size = decodedSize(headers.one('x-amz-decoded-content-length'));
  const isSigned = !mode.startsWith('STREAMING-UNSIGNED');
  if (isSigned && startSigning === undefined) {
    const message = 'The chunks of an unsigned request cannot be signed.';
    throw new SignatureError('InvalidRequest', message);
  }
  const reader = new ChunkReader({
    size,
    announced,
    hasTrailer: mode.endsWith('-TRAILER'),
    signing: isSigned ? startSigning?.() : undefined,
  });
  return new ReadPayload(reader, { size, sha256: undefined, announced, trailers: reader.trailers });
}

type Facts = Omit<Payload, 'open' | 'decode'>;

class ReadPayload implements Payload {
  readonly size: Payload['size'];
  readonly sha256: Payload['sha256'];
  readonly announced: Payload['announced'];
  readonly trailers: Payload['trailers'];
  readonly #reader: BodyReader;

  constructor(reader: BodyReader, { size, sha256, announced, trailers }: Facts) {
    this.#reader = reader;
    this.size = size;
    this.sha256 = sha256;
    this.announced = announced;
    this.trailers = trailers;
  }

  async *open(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) yield* this.#reader.push(piece);
    this.#reader.end();
  }

  decode(body: Uint8Array): Uint8Array {
    const pieces = [...this.#reader.push(body)];
    this.#reader.end();
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }
}

/** A body in chunks must not be stored with its framing because the header that announces it is missing. */
function requirePlain(headers: HeaderFields, announced: readonly string[]): void {
  const decoded = headers.one('x-amz-decoded-content-length');
  const found =
    announced.length > 0
      ? 'x-amz-trailer'
      : decoded !== undefined && decoded !== headers.one('content-length')
        ? 'x-amz-decoded-content-length'
        : undefined;
  if (found === undefined) return;
  const message = `${found} needs a body in chunks: send x-amz-content-sha256 with a value that starts with STREAMING-.`;
  throw new SignatureError('InvalidRequest', message);
}

const NO_NAMES: readonly string[] = [];
const NO_TRAILERS: Payload['trailers'] = new Map();

function namesOf(list: string | undefined): readonly string[] {
  if (list === undefined) return NO_NAMES;
  const names = list.split(',', MAX_TRAILERS + 1);
  if (names.length > MAX_TRAILERS) {
    throw new SignatureError('InvalidRequest', 'The header x-amz-trailer has too many names.');
  }
  return names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
}

function decodedSize(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  const message = 'A body in chunks needs the header x-amz-decoded-content-length.';
  throw new SignatureError('MissingContentLength', message);
}

const PLAIN: BodyReader = { push: (piece) => [piece], end: () => {} };

class DigestReader implements BodyReader {
  #hash: Hash | undefined;
  readonly #expected: string;

  constructor(expected: string) {
    this.#expected = expected;
  }

  push(piece: Uint8Array): Iterable<Uint8Array> {
    // Created late, because most requests with a hash have no body.
    this.#hash ??= startSha256();
    this.#hash.update(piece);
    return [piece];
  }

  end(): void {
    const computed = this.#hash === undefined ? EMPTY_SHA256 : this.#hash.digest('hex');
    if (computed === this.#expected) return;
    const message = 'The body does not match the SHA-256 in x-amz-content-sha256.';
    throw new SignatureError('XAmzContentSHA256Mismatch', message, {
      ClientComputedContentSHA256: this.#expected,
      S3ComputedContentSHA256: computed,
    });
  }
}

/** Removes `aws-chunked`, which is not an encoding of the object, from a Content-Encoding. */
export function withoutAwsChunked(contentEncoding: string): string | undefined {
  const codings = contentEncoding.split(',').map((coding) => coding.trim());
  const others = codings.filter((coding) => !/^(aws-chunked)?$/i.test(coding));
  return others.length === 0 ? undefined : others.join(', ');
}
