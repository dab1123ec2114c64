import { digestsOf, type ExpectedDigests, requireDigests } from '../engine/content/digests.js';
import { Gathered } from '../engine/content/gathered.js';
import { StorageError } from '../errors.js';
import { bodyDigests } from './digest-headers.js';
import { isObject } from './fields.js';
import type { RequestHeaders } from './headers.js';
import { type JsonMemory, JsonShare } from './json-memory.js';
import { StructureGuard } from './json-structure.js';
import type { StorageRequest } from './message.js';
import type { JsonBody } from './operation.js';
import { whileTheyCome } from './stall.js';

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

export interface JsonTerms {
  /** Content-Length. */
  readonly announced: number | undefined;
  readonly headers: RequestHeaders;
  readonly stallTimeout: number | undefined;
  /** Milliseconds for the whole body. */
  readonly jsonTimeout: number | undefined;
  readonly memory: JsonMemory;
  /** By whom memory is counted. */
  readonly caller: string;
}

/**
 * The JSON of a request, whatever Content-Type it claims. The size is bounded before anything is
 * parsed. What a body parser of the host made of it is taken as it is.
 */
export async function readJson(
  request: StorageRequest,
  { maxBytes, maxStructural, tooLarge, optional }: JsonBody,
  { announced, headers, stallTimeout, jsonTimeout, memory, caller }: JsonTerms,
): Promise<unknown> {
  const expected = bodyDigests(headers);
  if (announced !== undefined && announced > maxBytes) throw over(tooLarge, maxBytes);
  // Without either header there is no body (RFC 9112 section 6.3).
  const none = announced === 0 || (announced === undefined && !headers.has('transfer-encoding'));
  if (optional && none) return undefined;
  if (request.bodyConsumed) {
    // A form's parser has made names and values of the text, which was none.
    if (FORM.test(headers.get('content-type') ?? '') && isObject(request.parsedBody)) {
      throw eatenBody();
    }
    return fromHost(request.parsedBody, expected, maxStructural);
  }
  const gathered = new Gathered();
  const structure = new StructureGuard(maxStructural);
  const share = new JsonShare(memory, caller);
  try {
    for await (const chunk of whileTheyCome(request.body, stallTimeout, jsonTimeout)) {
      if (gathered.size + chunk.length > maxBytes) throw over(tooLarge, maxBytes);
      structure.see(chunk);
      share.add(chunk.length);
      gathered.add(chunk);
    }
    verify(gathered.bytes, expected);
    return optional && gathered.size === 0 ? undefined : parse(gathered.bytes);
  } finally {
    share.release();
  }
}

function fromHost(parsed: unknown, expected: ExpectedDigests, maxStructural?: number): unknown {
  const bytes = typeof parsed === 'string' ? Buffer.from(parsed) : parsed;
  if (bytes instanceof Uint8Array) {
    new StructureGuard(maxStructural).see(bytes);
    verify(bytes, expected);
    return parse(bytes);
  }
  // Without the bytes that came there is nothing to compare a digest with.
  const isVerified = expected.md5 === undefined && expected.sha256 === undefined;
  if (parsed === undefined || !isVerified) throw eatenBody();
  return parsed;
}

function verify(bytes: Uint8Array, expected: ExpectedDigests): void {
  if (expected.md5 === undefined && expected.sha256 === undefined) return;
  requireDigests(expected, digestsOf(bytes, expected));
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new StorageError('MalformedJSON', undefined, { cause });
  }
}

const over = (code: JsonBody['tooLarge'], maxBytes: number) =>
  new StorageError(code, `The JSON body may have at most ${maxBytes} bytes.`);

/** The host read the bytes and did not keep them: a mistake in its set-up, so it is told how to mend it. */
export const eatenBody = () =>
  new StorageError(
    'InternalError',
    'A body parser read the bytes before they reached the storage. ' +
      'Mount the storage in front of body parsers such as express.json(), express.urlencoded() or ' +
      'koa-bodyparser.',
  );
