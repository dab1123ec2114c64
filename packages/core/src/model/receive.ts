import type { Change } from '../contracts/metadata-store.js';
import { StorageError } from '../errors.js';
import { type Digests, digester, type ExpectedDigests, requireDigests } from './digests.js';
import { type Condemned, condemn, discard, pardon } from './garbage.js';
import { inlineKey } from './keys.js';
import type { Content } from './records.js';
import { newId, type Store } from './store.js';

/** Bytes on their way in. */
export interface Body {
  readonly source: AsyncIterable<Uint8Array>;
  /** What the client announced. Undefined for a chunked body. */
  readonly length: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that arrived whole and are durable, but that no record names yet. */
export interface Received {
  readonly size: number;
  readonly digests: Digests;
  readonly content: Content;
  /** The part of a change that makes them part of a record. */
  readonly adopt: Change;
  /** Removes them again. Harmless after a commit, also after one with an unknown outcome. */
  discard(): Promise<void>;
}

/**
 * Takes a body in: few bytes stay in memory until the commit, more go to a blob as they come.
 * Throws EntityTooLarge, RequestTimeout (shorter than announced) and BadDigest; then nothing stays.
 */
export async function receive(
  store: Store,
  body: Body,
  { limit, expected }: { readonly limit: number; readonly expected: ExpectedDigests },
): Promise<Received> {
  if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
  const meter = new Meter(body, limit, expected);
  const chunks = meter.chunks()[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let more = true;
  while (more && meter.size <= store.settings.inlineLimit) {
    const next = await chunks.next();
    if (next.done) more = false;
    else head.push(next.value);
  }
  return more ? toBlob(store, body, meter, head, chunks) : inline(meter, head);
}

function inline(meter: Meter, head: readonly Uint8Array[]): Received {
  const digests = meter.finish();
  const discard = async () => {};
  if (meter.size === 0) {
    return { size: 0, digests, content: { segments: [] }, adopt: {}, discard };
  }
  const id = newId();
  const bytes = head.length === 1 ? (head[0] as Uint8Array) : Buffer.concat(head);
  const adopt = { put: [{ key: inlineKey(id), value: bytes }] };
  return { size: meter.size, digests, content: { inline: id }, adopt, discard };
}

async function toBlob(
  store: Store,
  body: Body,
  meter: Meter,
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): Promise<Received> {
  const condemned = await condemn(store, newId());
  try {
    const bytes = startingWith(head, rest);
    const { size } = await store.blobs.write(condemned.blob, bytes, { signal: body.signal });
    if (size !== meter.size) {
      throw new Error(`The blob store kept ${size} bytes of ${meter.size}.`);
    }
    return blob(store, condemned, size, meter.finish());
  } catch (error) {
    await discard(store, condemned);
    throw error;
  }
}

function blob(store: Store, condemned: Condemned, size: number, digests: Digests): Received {
  return {
    size,
    digests,
    content: { segments: [{ blob: condemned.blob, offset: 0, length: size }] },
    adopt: pardon(condemned),
    discard: () => discard(store, condemned),
  };
}

/** Counts and hashes bytes as they pass, and ends in an error when they are too many or too few. */
class Meter {
  size = 0;
  readonly #body: Body;
  readonly #limit: number;
  readonly #expected: ExpectedDigests;
  readonly #digester: ReturnType<typeof digester>;

  constructor(body: Body, limit: number, expected: ExpectedDigests) {
    this.#body = body;
    this.#limit = limit;
    this.#expected = expected;
    this.#digester = digester(expected);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { source, length } = this.#body;
    for await (const chunk of source) {
      if (chunk.length === 0) continue;
      this.size += chunk.length;
      if (this.size > this.#limit) throw tooLarge(this.#limit);
      this.#digester.update(chunk);
      yield chunk;
    }
    if (length !== undefined && this.size !== length) {
      const message = `The body has ${this.size} bytes, but ${length} were announced.`;
      throw new StorageError('RequestTimeout', message);
    }
  }

  finish(): Digests {
    const digests = this.#digester.done();
    requireDigests(this.#expected, digests);
    return digests;
  }
}

async function* startingWith(head: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
  yield* head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

const tooLarge = (limit: number) =>
  new StorageError('EntityTooLarge', `The body may have at most ${limit} bytes.`);
