import { createHash } from 'node:crypto';
import {
  type BodyTerms,
  bodyMemory,
  type RequestBody,
  StorageError,
  type StructuredBody,
} from '@bucketware/core/dialect';
import { asS3Error, S3Error } from '../errors.js';
import type { XmlDocument } from '../xml/document.js';
import { arriving } from './arriving.js';

/** A body with one kind of XML document. `optional`: the body may be missing or empty. */
export const xmlBody = <T>(
  document: XmlDocument<T>,
  { optional = false }: { readonly optional?: boolean } = {},
): StructuredBody => ({
  async read(body, terms) {
    try {
      const sent = verified(body, terms);
      // Even an empty body is read: the signature may be that of one that somebody has removed.
      const first = optional ? await firstOf(sent) : undefined;
      if (optional && first === undefined) return undefined;
      const whole = first === undefined ? sent : joined(first, sent);
      return await document.read(whole, bodyMemory(terms, NAME));
    } catch (error) {
      throw asS3Error(error);
    }
  },
});

/** The first chunk with any bytes. */
async function firstOf(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return undefined;
    if (value.length > 0) return value;
  }
}

async function* joined(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

const NAME = 'XML bodies';

/** The chunks of the body. Compares Content-MD5 after the last one. */
async function* verified(body: RequestBody, terms: BodyTerms): AsyncGenerator<Uint8Array> {
  const expected = contentMd5(terms.headers.get('content-md5'));
  const hash = expected === undefined ? undefined : createHash('md5');
  const take = bodyMemory(terms, NAME);
  for await (const chunk of arriving(body, terms.announced, terms.times)) {
    take(chunk.length);
    hash?.update(chunk);
    yield chunk;
  }
  if (hash?.digest('base64') === expected) return;
  throw new StorageError('BadDigest', 'The Content-MD5 you specified did not match the body.');
}

const MD5 = /^[A-Za-z0-9+/]{22}==$/;

/** Returns a Content-MD5 unchanged. Throws InvalidDigest if it cannot be an MD5. */
export function contentMd5(value: string): string;
export function contentMd5(value: string | undefined): string | undefined;
export function contentMd5(value: string | undefined): string | undefined {
  if (value === undefined || MD5.test(value)) return value;
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
}
