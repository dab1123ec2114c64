import { bare } from '../../client/answers.js';
import type { Spelling } from '../../client/spelling.js';
import { errorIn } from './errors.js';
import { ALL_USERS, settings } from './grammar.js';
import { signed } from './signing.js';
import { documentIn, knows, one, timeOf } from './xml.js';

export const spelling: Spelling = {
  prefix: 'x-amz-',
  // The encoding that signatures require.
  encode: (text) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  authorize: signed,
  errorIn,

  granteeOf: (id) => (id === '*' ? `uri="${ALL_USERS}"` : `id="${id}"`),
  directiveOf: (directive) => directive.toUpperCase(),
  overrideOf: (_, header) => `response-${header}`,
  digestsHeaders: { 'x-amz-checksum-mode': 'ENABLED' },
  crc32: 'x-amz-checksum-crc32',
  crc32Text(decimal) {
    if (!/^\d{1,10}$/.test(decimal) || Number(decimal) >= 2 ** 32) return decimal;
    return Buffer.from(Number(decimal).toString(16).padStart(8, '0'), 'hex').toString('base64');
  },
  crc32In: (text) => String(Buffer.from(text, 'base64').readUInt32BE()),
  defaultClass: 'STANDARD',

  copiedIn(answer, action) {
    const result = documentIn(answer, `${action}Result`);
    knows(result, 'LastModified', 'ETag', 'ChecksumCRC32', 'ChecksumType');
    return { etag: bare(one(result, 'ETag')), lastModified: timeOf(one(result, 'LastModified')) };
  },
  settings,
};
