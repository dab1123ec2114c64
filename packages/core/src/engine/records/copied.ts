import { RecordKind } from './kind.js';
import { listOf } from './shape.js';

/** A size of -1: the blob is no longer there. */
type CopiedBlob = readonly [id: string, size: number];

const isCopied = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';

const PREFIX = 's/copied/';

/** Blobs that an unfinished copy has written or removed, in numbered lists. */
export const copiedRecords = new RecordKind<number, readonly CopiedBlob[]>({
  name: 'a list of copied blobs',
  prefix: PREFIX,
  key: (number) => PREFIX + String(number).padStart(12, '0'),
  parse: (key) => Number(key.slice(PREFIX.length)),
  fits: listOf<CopiedBlob>(isCopied),
});
