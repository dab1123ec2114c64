import {
  decodeValue,
  type Entry,
  encodeKey,
  encodeRange,
  type KeyRange,
} from '@bucketware/core/contracts';
import { startsOf } from './commits.js';
import type { Database } from './database.js';
import { oidOf, REPLACED } from './schema.js';

interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly version: string;
  /** The oid of the table with the rows. */
  readonly place: number;
}

/** The table that the store has opened. */
type Place = Pick<Database, 'table' | 'oid'>;

interface Waiting {
  readonly keys: readonly string[];
  resolve(entries: (Entry | undefined)[]): void;
  reject(error: unknown): void;
}

/** The maximum number of concurrent queries. */
const MAX_QUERIES = 2;

/** The maximum number of keys in one query, unless a single caller requests more. */
const MAX_KEYS = 512;

/**
 * Answers waiting reads with one query. Its single statement sees one snapshot, taken after the
 * calls of all of them.
 */
export class Reads {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #queries = 0;
  #starting = false;

  constructor(database: Database) {
    this.#database = database;
  }

  getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, resolve, reject });
      this.#start();
    });
  }

  list(range: KeyRange): Promise<Entry[]> {
    return listIn(this.#database, this.#database, range);
  }

  #start(): void {
    if (this.#starting || this.#queries >= MAX_QUERIES || this.#waiting.length === 0) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      const batch = this.#take();
      this.#queries += 1;
      this.#start();
      void this.#settle(batch).finally(() => {
        this.#queries -= 1;
        this.#start();
      });
    });
  }

  #take(): Waiting[] {
    let keys = 0;
    const end = this.#waiting.findIndex((one, index) => {
      keys += one.keys.length;
      return index > 0 && keys > MAX_KEYS;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#find(new Set(batch.flatMap(({ keys }) => keys)));
      for (const { keys, resolve } of batch) {
        // Each caller gets a separate copy of the value.
        resolve(
          keys.map((key) => {
            const row = rows.get(key);
            return row && entryOf(key, row);
          }),
        );
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #find(names: ReadonlySet<string>): Promise<ReadonlyMap<string, Row>> {
    const keys = [...names].map(encodeKey);
    const { table } = this.#database;
    const sql = `SELECT key, value, version, ${oidOf(table)} AS place FROM ${table}
      WHERE key = ANY(ARRAY(SELECT substring($1::bytea FROM o.start FOR o.size)
        FROM unnest($2::int[], $3::int[]) AS o(start, size)))`;
    const sizes = keys.map(({ length }) => length);
    const values = [Buffer.concat(keys), startsOf(keys), sizes];
    const rows = ownRows(await this.#database.query<Row>(sql, values), this.#database);
    return new Map(rows.map((row) => [row.key.toString(), row]));
  }
}

/** Lists a page of entries, as seen by the transaction of the query. */
export async function listIn(
  database: Pick<Database, 'query'>,
  place: Place,
  { prefix, start = prefix, limit, delimiter }: KeyRange,
): Promise<Entry[]> {
  const range = encodeRange(prefix, start);
  if (range === undefined) return [];
  const page = [range.start, range.end, limit];
  const groups = [Buffer.from(delimiter ?? ''), Buffer.byteLength(prefix) + 1];
  const { table } = place;
  const rows =
    delimiter === undefined
      ? await database.query<Row>(listAll(table), page)
      : await database.query<Row>(listGroups(table), [...page, ...groups]);
  return ownRows(rows, place).map((row) => entryOf(row.key.toString(), row));
}

const listAll = (table: string): string => `SELECT key, value, version, ${oidOf(table)} AS place
  FROM ${table}
  WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3`;

/**
 * Lists only the first record of each group: after a key that contains the delimiter $4 at or after
 * byte $5, it continues after all keys that are the same up to the delimiter. No key contains the
 * byte 255.
 */
const listGroups = (table: string): string => `
  WITH RECURSIVE found AS (
    (SELECT key, value, version FROM ${table} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 1)
    UNION ALL
    SELECT next.* FROM found, LATERAL (
      SELECT position($4::bytea IN substring(found.key FROM $5::int)) AS place
    ) AS delimiter, LATERAL (
      SELECT key, value, version FROM ${table}
      WHERE key < $2 AND key >= CASE place
        WHEN 0 THEN found.key || decode('00', 'hex')
        ELSE substring(found.key FOR $5 + place + length($4) - 2) || decode('ff', 'hex') END
      ORDER BY key LIMIT 1
    ) AS next
  )
  SELECT key, value, version, ${oidOf(table)} AS place FROM found LIMIT $3`;

/** Throws when the rows are those of another table. */
function ownRows(rows: Row[], { oid }: Place): Row[] {
  const [first] = rows;
  if (first !== undefined && first.place !== oid) throw new Error(REPLACED);
  return rows;
}

const entryOf = (key: string, { value, version }: Row): Entry => ({
  key,
  value: decodeValue(value),
  version,
});
