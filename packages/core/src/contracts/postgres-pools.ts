/* Helpers for drivers that use a pool of the package `pg`. */

interface Client {
  release(error?: Error | boolean): void;
  /** `I`: in no transaction. Since pg 8.21. */
  getTransactionStatus?(): string | null;
}

/**
 * Takes a connection that is in no transaction. The app may have returned one to the pool without
 * ending its transaction: then commits would seem to succeed, and be rolled back with it. Such a
 * connection is closed.
 */
export async function takeIdle<C extends Client>(connect: () => Promise<C>): Promise<C> {
  for (;;) {
    const client = await connect();
    if (isIdle(client)) return client;
    client.release(true);
  }
}

/**
 * Throws if a statement has run in a transaction of the app: its BEGIN was still on its way when the
 * app returned the connection. Close it then, so that the statement has no effect.
 */
export function requireIdle(client: Client): void {
  if (isIdle(client)) return;
  throw new Error('The app has returned a connection to the pool within a transaction.');
}

const isIdle = (client: Client): boolean => (client.getTransactionStatus?.() ?? 'I') === 'I';

/** The first schema of the search path, in which tables are created, and the one with the table. */
const SCHEMAS = `SELECT quote_ident(current_schema()) AS first, schema AS found, kind
  FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
    SELECT quote_ident(nspname) AS schema, relkind::text AS kind
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relname = $1 AND nspname = ANY (current_schemas(false))
    ORDER BY array_position(current_schemas(false), nspname) LIMIT 1
  ) AS named ON true`;

interface Found {
  readonly first: string | null;
  readonly found: string | null;
  readonly kind: string | null;
}

/** An ordinary and a partitioned table, in `relkind`. */
const TABLES = ['r', 'p'];

/**
 * Resolves to the schema of a table, quoted for SQL, or to the one in which it would be created.
 * Rejects if a later schema of the search path has such a table: a new one would hide its data, and
 * it may belong to another app. Rejects if the name is that of a view, a sequence or an index.
 */
export async function schemaOfTable(
  query: (sql: string, values: unknown[]) => Promise<readonly unknown[]>,
  table: string,
): Promise<string> {
  const [row] = await query(SCHEMAS, [table]);
  const { first, found, kind } = row as Found;
  if (first === null) {
    throw new Error('No schema of the search path exists, so the table cannot be created.');
  }
  if (found !== null && kind !== null && !TABLES.includes(kind)) {
    throw new Error(
      `${found}.${table} exists, but is not a table. Choose another name for the table.`,
    );
  }
  if (found === null || found === first) return first;
  throw new Error(
    `The table ${table} exists in the schema ${found}, but the first schema of the search path is ` +
      `${first}. To use that table, put ${found} first. To create another one, choose another name ` +
      'with the option table.',
  );
}
