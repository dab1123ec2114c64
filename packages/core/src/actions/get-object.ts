import type { BlobNotFoundError } from '../contracts/blob-store.js';
import { openContent, verifiesFirst } from '../engine/content/reading.js';
import { explainMissingData, withObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { knownOf } from './known-of-object.js';
import {
  entityOrDate,
  ifRangeApplies,
  readConditions,
  requireReadable,
} from './parameters/conditions.js';
import { optionalPartNumber, rangeOf, wantedPart } from './parameters/object-part.js';
import { text } from './parameters/parameter.js';
import { parseRange } from './parameters/range.js';
import { ObjectContent } from './stored-object.js';

/**
 * Reads an object, or a byte range of it. Data and headers belong to the same version, even if the
 * object is replaced or deleted meanwhile. Throws NoSuchKey, InvalidRange, and NotModified or
 * PreconditionFailed when a condition does not hold.
 */
export const getObject = action({
  name: 'GetObject',
  on: 'object',
  permission: 'READ',
  readsObject: true,
  isRead: true,
  usesObject: true,
  takes: 'nothing',
  parameters: {
    range: text,
    partNumber: optionalPartNumber,
    ifRange: entityOrDate,
    ...readConditions,
  },

  run(call) {
    const { store, bucket, permit, key, input, opensLate } = call;
    return withObject(permit, key, async (record) => {
      requireReadable(input, record);
      const part = await wantedPart(store, record, input);
      const wanted = ifRangeApplies(input.ifRange, record) ? input.range : undefined;
      const range = part === undefined ? parseRange(wanted, record.size) : rangeOf(part, record);
      const span = range ?? { start: 0, end: record.size };
      const name = { bucket: bucket.name, key };
      const late = opensLate
        ? (error: BlobNotFoundError) => explainMissingData(store, permit, key, record, error)
        : undefined;
      const found = knownOf(call, record);
      const known = found instanceof Promise ? await found : found;
      const open = () => openContent(store, name, record, span, late);
      // Reading a whole segment takes long, and must not keep other downloads waiting.
      const inTurn = async () =>
        (await verifiesFirst(store, record.content, span))
          ? call.reading(open)
          : call.opening(open);
      const isQuick = 'inline' in record.content || opensLate;
      const content = await (isQuick ? open() : inTurn());
      return new ObjectContent(key, record, content, { range, part, ...known });
    });
  },
});
