import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { pathOf as objectPath } from '../../client/connection.js';
import type { Spelling } from '../../client/spelling.js';
import type { Caller } from '../../http/server.js';
import { JsonAnswer } from './answer.js';
import { settings } from './grammar.js';
import { fieldsOf, timeOf } from './json.js';
import { statusesOf } from './statuses.js';

/** The credentials of a caller on the servers under test. */
export const authorization = (caller: Caller): OutgoingHttpHeaders =>
  caller === 'anonymous' ? {} : { authorization: `Bearer ${caller}` };

const encode = encodeURIComponent;

/** The path of an object. */
export const pathOf = (bucket: string, key: string): string => objectPath({ encode }, bucket, key);

export const spelling: Spelling = {
  prefix: 'x-svc-',
  encode,
  authorize: ({ headers }, caller) => ({ ...authorization(caller), ...headers }),
  errorIn(answer) {
    const json = JsonAnswer.of(answer);
    const { code, message } = json.json;
    json.fails(answer.status, code);
    const statuses = statusesOf(code);
    assert.ok(statuses.includes(answer.status), `${code} returned ${answer.status}`);
    return { code, message };
  },

  granteeOf: (id) => `id="${id}"`,
  directiveOf: (directive) => directive,
  overrideOf: (name) => `response${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  digestsHeaders: {},
  crc32: 'x-svc-content-crc32',
  crc32Text: (decimal) => decimal,
  crc32In: (text) => text,
  defaultClass: '',

  copiedIn(answer) {
    const { ETag, eTag, lastModified } = fieldsOf(answer, ['ETag', 'eTag', 'lastModified']);
    assert.equal(ETag, eTag);
    return { etag: eTag, lastModified: timeOf(lastModified) };
  },
  settings,
};
