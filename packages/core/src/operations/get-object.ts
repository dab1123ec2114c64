import type { BlobNotFoundError } from '../contracts/blob-store.js';
import { openContent } from '../engine/content/reading.js';
import { whyGone, withObject } from '../engine/objects/objects.js';
import { isStillTheSame, readConditions, requireReadable } from '../http/conditions.js';
import { header, text } from '../http/fields.js';
import { describe, responseOverrides } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { parseRange } from '../http/range.js';
import { contentOf, ObjectContent, recordOf } from '../http/stored-object.js';

/**
 * Reads an object, or a byte range of it. The bytes are those of the version whose headers are
 * sent, also when the object is replaced or deleted meanwhile.
 */
export const getObject = operation({
  name: 'GetObject',
  route: { method: 'GET', on: 'object' },
  permission: 'READ',
  readsObject: true,
  servesContent: true,
  takes: 'nothing',
  input: {
    range: header('range', text),
    ifRange: header('if-range', text),
    ...readConditions,
    ...responseOverrides,
  },

  run: ({ store, bucket, permit, key, input, opensLate }) =>
    withObject(store, permit, key, async (record) => {
      requireReadable(input, record);
      const wanted = isStillTheSame(input.ifRange, record) ? input.range : undefined;
      const range = parseRange(wanted, record.size);
      const span = range ?? { start: 0, end: record.size };
      const name = { bucket: bucket.name, key };
      const late = opensLate
        ? (error: BlobNotFoundError) => whyGone(store, permit, key, record, error)
        : undefined;
      const content = await openContent(store, name, record.content, span, late);
      return new ObjectContent(key, record, content, range);
    }),

  respond(object, { input }) {
    const { range } = object;
    const record = recordOf(object);
    const { start, end } = range ?? { start: 0, end: record.size };
    const headers = describe(record, input);
    headers['content-length'] = String(end - start);
    if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${record.size}`;
    return { status: range ? 206 : 200, headers, body: contentOf(object) };
  },
});
