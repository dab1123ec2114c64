import type { Entry, KeyRange, MetadataSnapshot } from '@bucketware/core/contracts';
import type { Database } from './database.js';
import { Listing } from './listing.js';

/**
 * A snapshot in a read transaction, with its own connection. While it is open, the write-ahead log
 * grows.
 */
export class SqliteSnapshot implements MetadataSnapshot {
  readonly #database: Database;
  readonly #listing: Listing;
  readonly #onClose: () => void;
  #isClosed = false;

  constructor(database: Database, onClose: () => void) {
    this.#database = database;
    this.#listing = new Listing(database);
    this.#onClose = onClose;
    database.exec('BEGIN');
    // The first read takes the snapshot.
    this.#listing.entriesIn({ prefix: '', limit: 1 });
  }

  async list(range: KeyRange): Promise<Entry[]> {
    if (this.#isClosed) throw new Error('The snapshot is closed.');
    return this.#listing.entriesIn(range);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
    // Some packages close a connection only after its statements have been garbage-collected.
    this.#database.exec('COMMIT');
    this.#database.close();
  }
}
