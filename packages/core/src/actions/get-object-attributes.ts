import { nextTurn } from '../engine/concurrency/yielder.js';
import { withObject } from '../engine/objects/objects.js';
import { partsFrom } from '../engine/objects/parts.js';
import type { ObjectPart } from '../engine/records/part-lists.js';
import { MAX_PAGE } from '../limits.js';
import { action } from './action.js';
import { integer, pageSize } from './parameters/parameter.js';
import { StoredObject } from './stored-object.js';

/** A page of the parts that an object was completed from. */
export interface PartsOfObject {
  /** How many parts the whole object has. */
  readonly count: number;
  readonly parts: readonly ObjectPart[];
  readonly nextPartNumberMarker: number;
  readonly isTruncated: boolean;
}

/** The properties of an object, with the parts that it was completed from. */
export const getObjectAttributes = action({
  name: 'GetObjectAttributes',
  on: 'object',
  permission: 'READ',
  readsObject: true,
  isRead: true,
  usesObject: true,
  isLong: true,
  takes: 'nothing',
  parameters: {
    maxParts: pageSize.or(MAX_PAGE),
    partNumberMarker: integer(0, Number.MAX_SAFE_INTEGER).or(0),
  },

  run: ({ store, permit, key, input: { maxParts, partNumberMarker } }) =>
    withObject(permit, key, async (record) => {
      const object = new StoredObject(key, record);
      const { parts: count } = record;
      if (count === undefined) return { object, parts: undefined };
      await nextTurn(); // A page of 1,000 parts takes some 5 ms.
      const parts: ObjectPart[] = [];
      let isTruncated = false;
      for (const part of await partsFrom(store, record, partNumberMarker + 1)) {
        isTruncated = parts.length === maxParts;
        if (isTruncated) break;
        parts.push(part);
      }
      const nextPartNumberMarker = parts.at(-1)?.partNumber ?? 0;
      const page: PartsOfObject = { count, parts, nextPartNumberMarker, isTruncated };
      return { object, parts: page };
    }),
});
