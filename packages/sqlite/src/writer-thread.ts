import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Place } from '@bucketware/core/contracts';
import { type Database, type DatabaseOptions, openDatabase } from './database.js';
import { failureOf } from './failures.js';
import type { Answer, Request } from './messages.js';

/** Commits batches of requests, each batch in one transaction with one flush. */
class Transactions {
  readonly #database: Database;
  readonly #place: Place;
  readonly #statements;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#place = new Place(path);
    this.#statements = {
      version: database.prepare('SELECT version FROM records WHERE key = ?'),
      put: database.prepare(
        'INSERT OR REPLACE INTO records (key, value, version) VALUES (?, ?, ?)',
      ),
      delete: database.prepare('DELETE FROM records WHERE key = ?'),
      last: database.prepare('SELECT last FROM versions'),
      reserve: database.prepare('UPDATE versions SET last = ?'),
    };
  }

  run(requests: readonly Request[]): Answer {
    try {
      this.#place.require();
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { failure: { message, code } };
    }
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const { last } = this.#statements.last.get() as { last: number };
      const versions = requests.map((request, index) => this.#apply(request, last + index + 1));
      this.#statements.reserve.run(last + requests.length);
      this.#database.exec('COMMIT');
      return { versions };
    } catch (error) {
      this.#rollBack();
      return { failure: failureOf(error) };
    }
  }

  /** All expectations are checked before anything is written. */
  #apply({ expect, put, delete: removed }: Request, version: number): string | undefined {
    const { version: ofKey, put: toPut, delete: toDelete } = this.#statements;
    for (const { key, version: expected } of expect) {
      const row = ofKey.get(key) as { version: number } | undefined;
      if ((row && String(row.version)) !== expected) return undefined;
    }
    for (const key of removed) toDelete.run(key);
    for (const { key, value } of put) toPut.run(key, value, version);
    return String(version);
  }

  /** May fail, because on a full disk SQLite has already rolled back. The caller has the cause. */
  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // If a transaction is still open, beginning the next one fails and reports that.
    }
  }
}

const port = parentPort as MessagePort;
const options = workerData as DatabaseOptions;
const database = await openDatabase(options);
const transactions = new Transactions(database, options.path);
port.on('message', (requests: readonly Request[] | 'close') => {
  if (requests === 'close') {
    database.close();
    port.close();
  } else {
    port.postMessage(transactions.run(requests));
  }
});
