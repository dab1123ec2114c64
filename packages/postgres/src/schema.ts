import { schemaOfTable } from '@bucketware/core/contracts';
import type { Database } from './database.js';

/** The maximum number of changes in one call. Each takes its own version. */
export const MAX_CHANGES = 256;

/** The table has been dropped or renamed, and another one has got its name. */
export const REPLACED =
  'The table of the records was replaced while it was in use. Restart the processes that use it.';

/** The lock that is held while the objects are created: concurrent creation would fail. */
const LOCK = 0x62_75_63_6b;

/**
 * Creates the table, the sequence of versions and the commit function if any is missing. If all
 * exist, the role needs no permission to create them. Resolves to the database with the qualified
 * name of the table.
 */
export async function makeSchema(found: Database): Promise<Database> {
  const schema = await schemaOfTable((text, values) => found.query(text, values), found.table);
  const database = found.withTable(`${schema}.${found.table}`);
  const { table } = database;
  if (await isMade(database, found.table, schema)) return inPlace(database);
  const [row] = await database.query<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    [table],
  );
  // A query of several statements without parameters is one transaction.
  await database.query(`
    SET LOCAL lock_timeout = '5s';
    SELECT pg_advisory_xact_lock(${LOCK});
    ${row?.found ? '' : createTable(table)}
    ${createSequence(table)}
    ${commitFunction(table)}`);
  return inPlace(database);
}

/** The database with the oid of its table. */
async function inPlace(database: Database): Promise<Database> {
  const { table } = database;
  const [row] = await database.query<{ oid: number }>(`SELECT ${oidOf(table)} AS oid`);
  return database.withTable(table, row?.oid);
}

/** The oid of the table that has the name now, as an expression of SQL that is computed once. */
export const oidOf = (table: string): string => `(SELECT to_regclass(${literal(table)})::oid)`;

/** Altering a table waits for all that read it, such as a backup, and everything waits behind it. */
const createTable = (table: string): string => `
  CREATE TABLE IF NOT EXISTS ${table} (
    key bytea PRIMARY KEY,
    value bytea NOT NULL,
    version bigint NOT NULL
  );
  ALTER TABLE ${table} ALTER COLUMN value SET STORAGE EXTERNAL;`;

/**
 * A dump of only the table restores it without its sequence. The new one continues after the versions
 * in use, because no version may occur twice.
 */
const createSequence = (table: string): string => `
  DO $create$ BEGIN
    IF to_regclass(${literal(`${table}_versions`)}) IS NULL THEN
      CREATE SEQUENCE ${table}_versions INCREMENT BY ${MAX_CHANGES};
      PERFORM setval(${literal(`${table}_versions`)}, max(version)) FROM ${table} HAVING count(*) > 0;
    END IF;
  END $create$;`;

/**
 * If the schema was renamed, or the function moved to another one, its body still names the old
 * schema. Then it is replaced.
 */
async function isMade(database: Database, name: string, schema: string): Promise<boolean> {
  const { table } = database;
  const sql = `SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AND EXISTS (
      SELECT FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
      WHERE proname = $3 AND quote_ident(nspname) = $4 AND strpos(prosrc, $5) > 0
    ) AS made`;
  const names = [table, `${table}_versions`, functionName(name), schema, insertInto(table)];
  const [row] = await database.query<{ made: boolean }>(sql, names);
  return row?.made === true;
}

/**
 * The name ends with the version of the function, because processes of two releases may run at the
 * same time.
 */
export const functionName = (table: string): string => `${table}_commit_3`;

/** With the schema, so that the search path of the caller makes no difference. */
const insertInto = (table: string): string => `INSERT INTO ${table} (key, value, version)`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Commits changes, each completely or not at all. A key that one change writes must not occur in
 * another. The arrays have an element for each key of each change: the index of the change, the
 * position of the key in `keys`, the expected version (0: absent, -1: any), the position of the
 * value in `vals`, and its size (-1: the key is deleted, -2: it is left unchanged). `place` is the oid
 * of the table that the process opened.
 *
 * Concurrent transactions cannot invalidate each other's checks: existing keys are locked (FOR
 * SHARE if they are only expected), and keys that must be absent are inserted, which the primary
 * key allows only one transaction to do. A key that appears after the check is a conflict, and the
 * caller tries again. Locks are taken in key order, so deadlocks are rare.
 *
 * Each statement must see what was committed before it, which requires READ COMMITTED. Sequential
 * scans, hash joins and merge joins are off, because PostgreSQL keeps plans that it made while the
 * table was small.
 */
const commitFunction = (table: string): string => `
  CREATE OR REPLACE FUNCTION ${functionName(table)}(
    durable boolean, changes int[], keys bytea, key_starts int[], key_sizes int[],
    expected bigint[], vals bytea, value_starts int[], value_sizes int[], place oid,
    OUT given bigint, OUT failed int[]
  ) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  AS $commit$
  DECLARE
    k bytea[];
    held int;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'The isolation of transactions must be READ COMMITTED, not %.',
        upper(current_setting('transaction_isolation'));
    END IF;
    IF ${oidOf(table)} IS DISTINCT FROM place THEN
      RAISE EXCEPTION '%', ${literal(REPLACED)};
    END IF;
    IF NOT durable THEN
      PERFORM set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') = 'off' THEN
      RAISE EXCEPTION 'synchronous_commit is off, so a commit could be lost. Turn it on.';
    END IF;

    k := ARRAY(
      SELECT substring(keys FROM o.start FOR o.size)
      FROM unnest(key_starts, key_sizes) WITH ORDINALITY AS o(start, size, place)
      ORDER BY o.place);

    PERFORM FROM ${table} AS t WHERE t.key = ANY(ARRAY(
        SELECT o.key FROM unnest(k, expected, value_sizes) AS o(key, expected, size)
        WHERE o.expected > 0 AND o.size = -2))
      ORDER BY t.key FOR SHARE;
    PERFORM FROM ${table} AS t WHERE t.key = ANY(ARRAY(
        SELECT o.key FROM unnest(k, expected, value_sizes) AS o(key, expected, size)
        WHERE o.expected <> 0 AND o.size <> -2))
      ORDER BY t.key FOR UPDATE;

    failed := ARRAY(
      SELECT DISTINCT o.change
      FROM unnest(changes, k, expected) AS o(change, key, expected)
      LEFT JOIN ${table} AS t ON t.key = o.key
      WHERE o.expected >= 0 AND coalesce(t.version, 0) <> o.expected);
    given := nextval(${literal(`${table}_versions`)});

    IF 0 = ANY(expected) THEN
      ${insertInto(table)}
        SELECT DISTINCT ON (o.key) o.key, substring(vals FROM o.start FOR greatest(o.size, 0)), given + o.change
        FROM unnest(changes, k, expected, value_starts, value_sizes)
          AS o(change, key, expected, start, size)
        WHERE o.expected = 0 AND o.change <> ALL(failed)
        ORDER BY o.key
        ON CONFLICT (key) DO NOTHING;
      GET DIAGNOSTICS held = ROW_COUNT;
      IF held < (
        SELECT count(DISTINCT o.key) FROM unnest(changes, k, expected) AS o(change, key, expected)
        WHERE o.expected = 0 AND o.change <> ALL(failed)
      ) THEN
        RAISE EXCEPTION 'A key appeared.' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;

    ${insertInto(table)}
      SELECT o.key, substring(vals FROM o.start FOR o.size), given + o.change
      FROM unnest(changes, k, expected, value_starts, value_sizes)
        AS o(change, key, expected, start, size)
      WHERE o.expected <> 0 AND o.size >= 0 AND o.change <> ALL(failed)
      ORDER BY o.key
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version;

    IF -1 = ANY(value_sizes) OR 0 = ANY(expected) THEN
      DELETE FROM ${table} AS t WHERE t.key = ANY(ARRAY(
        SELECT o.key FROM unnest(changes, k, expected, value_sizes) AS o(change, key, expected, size)
        WHERE o.change <> ALL(failed) AND (o.size = -1 OR (o.size = -2 AND o.expected = 0))));
    END IF;
  END $commit$;`;
