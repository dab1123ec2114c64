import { createHash } from 'node:crypto';
import {
  type BodyTerms,
  bodyMemory,
  isWithoutBody,
  type RequestBody,
  requestMemory,
  StorageError,
  type StructuredBody,
} from '@bucketware/core/dialect';
import { answerable, S3Error } from '../errors.js';
import type { XmlDocument } from '../xml/document.js';
import { arriving } from './arriving.js';

/** A body that is one kind of XML document. `optional`: an empty one is none, and none is needed. */
export const xmlBody = <T>(
  document: XmlDocument<T>,
  { optional = false }: { readonly optional?: boolean } = {},
): StructuredBody => ({
  async read(body, terms) {
    if (optional && isWithoutBody(terms)) return undefined;
    try {
      return await document.read(verified(body, terms), requestMemory(terms, NAME));
    } catch (error) {
      throw answerable(error);
    }
  },
});

const NAME = 'XML bodies';

/** Larger bodies are parsed as they come, and of their text no more is kept. */
const LARGEST_BODY = 2 * 1024 * 1024;

/** The bytes of the body. The last is followed by a comparison with Content-MD5. */
async function* verified(body: RequestBody, terms: BodyTerms): AsyncGenerator<Uint8Array> {
  const expected = contentMd5(terms.headers.get('content-md5'));
  const hash = expected === undefined ? undefined : createHash('md5');
  const take = bodyMemory(terms, NAME, LARGEST_BODY);
  for await (const chunk of arriving(body, terms.announced, terms.times)) {
    take(chunk);
    hash?.update(chunk);
    yield chunk;
  }
  if (hash?.digest('base64') === expected) return;
  throw new StorageError('BadDigest', 'The Content-MD5 you specified did not match the body.');
}

const MD5 = /^[A-Za-z0-9+/]{22}==$/;

/** Throws InvalidDigest when it is the MD5 of nothing. */
export function contentMd5(value: string): string;
export function contentMd5(value: string | undefined): string | undefined;
export function contentMd5(value: string | undefined): string | undefined {
  if (value === undefined || MD5.test(value)) return value;
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
}
