import { decodeValue, type Entry, encodeRange, type KeyRange } from '@bucketware/core/contracts';
import type { Database, Statement } from './database.js';

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly version: number;
}

/** Pages of entries, as the transaction of the connection sees them. */
export class Listing {
  readonly #statement: Statement;

  constructor(database: Database) {
    this.#statement = database.prepare(
      'SELECT key, value, version FROM records WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
    );
  }

  entriesIn({ prefix, start = prefix, limit }: KeyRange): Entry[] {
    const range = encodeRange(prefix, start);
    if (range === undefined) return [];
    const rows = this.#statement.all(range.start, range.end, limit) as Row[];
    return rows.map(({ key, value, version }) => ({
      key: Buffer.from(key).toString(),
      value: decodeValue(value),
      version: String(version),
    }));
  }
}
