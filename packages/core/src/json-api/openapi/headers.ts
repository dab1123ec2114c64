import { PREFIX } from '../header-prefix.js';
import { type Schema, text, whole } from './schemas.js';

interface Described {
  readonly description: string;
  readonly schema: Schema;
}

const httpDate: Schema = { ...text, examples: ['Sun, 22 Nov 2026 12:00:00 GMT'] };
/** A number that does not fit into a double. */
const digits: Schema = { ...text, pattern: '^\\d+$' };

/** The headers of responses, apart from those that every HTTP response may have. */
export const responseHeaders: Readonly<Record<string, Described>> = {
  etag: { description: 'The ETag of the object, in quotes.', schema: text },
  'last-modified': { description: 'When the object was last modified.', schema: httpDate },
  'content-type': { description: 'As it was stored.', schema: text },
  'content-encoding': { description: 'As it was stored.', schema: text },
  'content-language': { description: 'As it was stored.', schema: text },
  'content-disposition': { description: 'As it was stored.', schema: text },
  expires: { description: 'As it was stored.', schema: text },
  'content-range': { description: 'Which bytes of the object these are.', schema: text },
  'content-md5': { description: 'The MD5 of the data, in Base64.', schema: text },
  location: { description: 'Where the bucket or object is.', schema: text },
  [`${PREFIX}request-id`]: { description: 'The id of the request.', schema: text },
  [`${PREFIX}storage-class`]: { description: 'The storage class.', schema: text },
  [`${PREFIX}content-crc32`]: { description: 'The CRC-32 of the data.', schema: whole },
  [`${PREFIX}content-crc32c`]: { description: 'The CRC-32C of the data.', schema: whole },
  [`${PREFIX}content-crc64ecma`]: { description: 'The CRC-64/XZ of the data.', schema: digits },
  [`${PREFIX}object-type`]: {
    description: 'Only of an appendable object.',
    schema: { const: 'Appendable' },
  },
  [`${PREFIX}next-append-offset`]: {
    description: 'The size of an appendable object: where the next append begins.',
    schema: whole,
  },
  'access-control-allow-origin': { description: 'The origin that may.', schema: text },
  'access-control-allow-methods': { description: 'The methods that may be used.', schema: text },
  'access-control-allow-headers': { description: 'The headers that may be sent.', schema: text },
  'access-control-expose-headers': { description: 'The headers that may be read.', schema: text },
  'access-control-max-age': { description: 'For how many seconds this holds.', schema: whole },
};
