import type { Entry, KeyRange, MetadataSnapshot } from '@bucketware/core/contracts';
import type { Transaction } from 'lmdb';
import type { Database } from './database.js';
import { entriesIn } from './entries.js';

/**
 * A snapshot in a read transaction. While it is open, the database cannot reuse the pages that
 * commits free, and grows instead.
 */
export class LmdbSnapshot implements MetadataSnapshot {
  readonly #database: Database;
  readonly #onClose: () => void;
  #transaction: Transaction | undefined;

  constructor(database: Database, onClose: () => void) {
    this.#database = database;
    this.#onClose = onClose;
    this.#transaction = database.useReadTransaction();
  }

  async list(range: KeyRange): Promise<Entry[]> {
    if (this.#transaction === undefined) throw new Error('The snapshot is closed.');
    return entriesIn(this.#database, range, this.#transaction);
  }

  async close(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    transaction?.done();
    this.#onClose();
  }
}
