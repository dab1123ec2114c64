import { decodeValue, type Entry, encodeRange, type KeyRange } from '@bucketware/core/contracts';
import type { Database, Statement } from './database.js';

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly version: number;
}

/**
 * Lists at most ?3 records from ?1 up to, but not including, ?2. Of each group, it lists only the
 * first record: after a key that contains the delimiter ?4 at or after byte ?5, it continues after
 * all keys that are the same up to the delimiter. No key contains the byte 255.
 *
 * `ifnull` is needed because Node 22 binds some empty buffers as NULL.
 */
const LIST_GROUPS = `
  WITH RECURSIVE found(key, value, version) AS (
    SELECT * FROM (
      SELECT key, value, version FROM records WHERE key >= ifnull(?1, X'') AND key < ?2
      ORDER BY key LIMIT 1)
    UNION ALL
    SELECT next.key, next.value, next.version FROM found, records AS next
    WHERE next.key = (
      SELECT min(key) FROM records WHERE key < ?2 AND key >= CAST(
        CASE instr(substr(found.key, ?5), ?4)
          WHEN 0 THEN found.key || X'00'
          ELSE substr(found.key, 1, ?5 + instr(substr(found.key, ?5), ?4) + length(?4) - 2) || X'FF'
        END AS BLOB))
  )
  SELECT key, value, version FROM found LIMIT ?3`;

/** Lists pages of entries, as seen by the connection's transaction. */
export class Listing {
  readonly #all: Statement;
  readonly #groups: Statement;

  constructor(database: Database) {
    this.#groups = database.prepare(LIST_GROUPS);
    this.#all = database.prepare(
      `SELECT key, value, version FROM records
       WHERE key >= ifnull(?, X'') AND key < ? ORDER BY key LIMIT ?`,
    );
  }

  entriesIn({ prefix, start = prefix, limit, delimiter }: KeyRange): Entry[] {
    const range = encodeRange(prefix, start);
    if (range === undefined) return [];
    const page = [range.start, range.end, limit] as const;
    const groups = [Buffer.from(delimiter ?? ''), Buffer.byteLength(prefix) + 1] as const;
    const rows =
      delimiter === undefined ? this.#all.all(...page) : this.#groups.all(...page, ...groups);
    return (rows as Row[]).map(({ key, value, version }) => ({
      key: Buffer.from(key).toString(),
      value: decodeValue(value),
      version: String(version),
    }));
  }
}
