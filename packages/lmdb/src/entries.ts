import { decodeValue, type Entry, encodeRange, type KeyRange } from '@bucketware/core/contracts';
import type { Transaction } from 'lmdb';
import type { Database } from './database.js';

/** A page of entries, as of now or as of a transaction. */
export function entriesIn(
  database: Database,
  { prefix, start = prefix, limit }: KeyRange,
  transaction?: Transaction,
): Entry[] {
  const range = encodeRange(prefix, start);
  if (!range) return [];
  const found: Entry[] = [];
  const options = { ...range, limit, versions: true, ...(transaction && { transaction }) };
  for (const { key, value, version } of database.getRange(options)) {
    found.push({ key: key.toString(), value: decodeValue(value), version: String(version) });
  }
  return found;
}
