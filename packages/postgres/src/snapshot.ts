import type { Entry, KeyRange, MetadataSnapshot } from '@bucketware/core/contracts';
import type { Connection, Database } from './database.js';
import { listIn } from './reads.js';

/**
 * A snapshot in a read transaction. While it is open, it occupies a connection, and vacuum cannot
 * remove rows that are deleted meanwhile.
 */
export class PostgresSnapshot implements MetadataSnapshot {
  readonly #connection: Connection;
  readonly #place: Pick<Database, 'table' | 'oid'>;
  readonly #onClose: () => void;
  #closing: Promise<void> | undefined;

  static async open(database: Database, onClose: () => void): Promise<PostgresSnapshot> {
    const connection = await database.connect();
    const snapshot = new PostgresSnapshot(connection, database, onClose);
    try {
      await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // The first read takes the snapshot.
      await snapshot.list({ prefix: '', limit: 1 });
      return snapshot;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  private constructor(
    connection: Connection,
    place: Pick<Database, 'table' | 'oid'>,
    onClose: () => void,
  ) {
    this.#connection = connection;
    this.#place = place;
    this.#onClose = onClose;
  }

  async list(range: KeyRange): Promise<Entry[]> {
    if (this.#closing) throw new Error('The snapshot is closed.');
    return listIn(this.#connection, this.#place, range);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#onClose();
    const isBroken = await this.#connection.query('COMMIT').then(
      () => false,
      () => true, // Nothing was written. Closing the connection ends the transaction.
    );
    this.#connection.release(isBroken);
  }
}
