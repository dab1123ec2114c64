import { createYielder } from '../engine/concurrency/yielder.js';
import { digestsOf, type ExpectedDigests, requireDigests } from '../engine/content/digests.js';
import { GrowingBuffer } from '../engine/content/growing-buffer.js';
import type { StorageError } from '../errors.js';
import { bodyMemory } from './body-memory.js';
import type { RequestBody } from './message.js';
import type { BodyTerms } from './structured-body.js';

/** A body that is parsed as a whole. */
export interface WholeBody {
  /** The kind of body in the plural, for the message when there is no memory for it. */
  readonly name: string;
  readonly maxBytes: number;
  readonly expected: ExpectedDigests;
  /** The error for a larger body. */
  tooLarge(): StorageError;
  /** Called with each chunk as it arrives. May throw to reject the body. */
  see(chunk: Uint8Array): void;
}

/** Parsing a body larger than this takes so long that other work must get a turn before it. */
const LARGE = 64 * 1024;

/**
 * Receives a body, verifies its digests and parses it. It counts as memory of the caller until the
 * response is sent.
 */
export async function parseWhole<Parsed>(
  body: RequestBody,
  terms: BodyTerms,
  { name, maxBytes, expected, tooLarge, see }: WholeBody,
  parse: (bytes: Uint8Array) => Parsed,
): Promise<Parsed> {
  const take = bodyMemory(terms, name);
  const received = new GrowingBuffer(terms.announced ?? maxBytes);
  for await (const chunk of body.chunks(terms.times)) {
    if (received.size + chunk.length > maxBytes) throw tooLarge();
    see(chunk);
    take(chunk.length);
    received.add(chunk);
  }
  if (received.size > LARGE) await createYielder()();
  verifyDigests(received.bytes, expected);
  return parse(received.bytes);
}

/** Throws BadDigest when the bytes do not match the announced digests. */
export function verifyDigests(bytes: Uint8Array, expected: ExpectedDigests): void {
  if (expected.md5 === undefined && expected.sha256 === undefined) return;
  requireDigests(expected, digestsOf(bytes, expected));
}
