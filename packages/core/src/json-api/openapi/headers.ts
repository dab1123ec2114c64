import { PREFIX } from '../header-prefix.js';
import { type Schema, text, whole } from './schemas.js';

interface Described {
  readonly description: string;
  readonly schema: Schema;
}

const httpDate: Schema = { ...text, examples: ['Sun, 22 Nov 2026 12:00:00 GMT'] };
/** A number that may not fit into a double. */
const digits: Schema = { ...text, pattern: '^\\d+$' };

/** The headers of responses, apart from those that every HTTP response may have. */
export const responseHeaders: Readonly<Record<string, Described>> = {
  etag: { description: 'The ETag of the object, in quotes.', schema: text },
  'last-modified': { description: 'When the object was last modified.', schema: httpDate },
  'content-type': { description: 'The stored value.', schema: text },
  'content-encoding': { description: 'The stored value.', schema: text },
  'content-language': { description: 'The stored value.', schema: text },
  'content-disposition': { description: 'The stored value.', schema: text },
  expires: { description: 'The stored value.', schema: text },
  'content-range': { description: 'The range of the object in the body.', schema: text },
  'content-md5': { description: 'The MD5 of the data, in Base64.', schema: text },
  location: { description: 'The URL of the bucket or object.', schema: text },
  [`${PREFIX}request-id`]: { description: 'The id of the request.', schema: text },
  [`${PREFIX}storage-class`]: { description: 'The storage class.', schema: text },
  [`${PREFIX}content-crc32`]: { description: 'The CRC-32 of the data.', schema: whole },
  [`${PREFIX}content-crc32c`]: { description: 'The CRC-32C of the data.', schema: whole },
  [`${PREFIX}content-crc64ecma`]: { description: 'The CRC-64/XZ of the data.', schema: digits },
  [`${PREFIX}object-type`]: {
    description: 'Sent only for appendable objects.',
    schema: { const: 'Appendable' },
  },
  [`${PREFIX}next-append-offset`]: {
    description: 'The size of an appendable object, which is the offset of the next append.',
    schema: whole,
  },
  'access-control-allow-origin': { description: 'The allowed origin.', schema: text },
  'access-control-allow-methods': { description: 'The allowed methods.', schema: text },
  'access-control-allow-headers': {
    description: 'The headers that the page may send.',
    schema: text,
  },
  'access-control-expose-headers': {
    description: 'The headers that the page may read.',
    schema: text,
  },
  'access-control-max-age': {
    description: 'How long the browser may cache this response, in seconds.',
    schema: whole,
  },
};
