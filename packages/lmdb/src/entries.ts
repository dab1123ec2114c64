import {
  afterGroup,
  decodeValue,
  type Entry,
  encodeRange,
  type KeyRange,
} from '@bucketware/core/contracts';
import type { Transaction } from 'lmdb';
import type { Database } from './database.js';

/** A page of entries, either current ones or those of a transaction. */
export function entriesIn(
  database: Database,
  { prefix, start = prefix, limit, delimiter }: KeyRange,
  transaction?: Transaction,
): Entry[] {
  const range = encodeRange(prefix, start);
  if (!range) return [];
  const { end } = range;
  const found: Entry[] = [];
  let from: Buffer | undefined = range.start;
  while (from !== undefined && found.length < limit) {
    const begin: Buffer = from;
    from = undefined;
    const left = { start: begin, end, limit: limit - found.length };
    const options = { ...left, versions: true, ...(transaction && { transaction }) };
    for (const { key: bytes, value, version } of database.getRange(options)) {
      const key = bytes.toString();
      found.push({ key, value: decodeValue(value), version: String(version) });
      from = delimiter === undefined ? undefined : afterGroup(key, prefix, delimiter);
      if (from !== undefined) break;
    }
  }
  return found;
}
