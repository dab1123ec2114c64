import { Readable } from 'node:stream';
import { BlobNotFoundError, checkBlobId, type GrowingBlobStore } from '@bucketware/core/contracts';
import { DatabaseSync } from '@photostructure/sqlite'; // or node:sqlite, from Node 22.5 on

const SQLITE_FULL = 13;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS owner (one INTEGER PRIMARY KEY, id TEXT);
  CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, content TEXT, size INTEGER);
  CREATE INDEX IF NOT EXISTS contents ON blobs (content);
  CREATE TABLE IF NOT EXISTS pieces (content TEXT, at INTEGER, bytes BLOB, PRIMARY KEY (content, at))`;

/**
 * Stores blobs in a SQLite file. A content consists of pieces, one per row, and a blob is a row
 * that refers to a content. Sharing therefore only adds a row, and no transaction waits for a
 * source.
 */
export function sqliteBlobs(path: string): GrowingBlobStore {
  const db = new DatabaseSync(path);
  db.exec(SCHEMA);
  const run = (sql: string, ...values: (string | number | Uint8Array)[]) => {
    try {
      db.prepare(sql).run(...values);
    } catch (error) {
      const full = (error as { errcode?: number }).errcode === SQLITE_FULL;
      throw full ? Object.assign(error as Error, { code: 'ENOSPC' }) : error;
    }
  };
  const find = (id: string) => {
    checkBlobId(id);
    return db.prepare('SELECT content, size FROM blobs WHERE id = ?').get(id) as Blob | undefined;
  };
  const known = (id: string) => {
    const blob = find(id);
    if (blob === undefined) throw new BlobNotFoundError(id);
    return blob;
  };
  const add = (id: string, content: string, size: number) =>
    run('INSERT INTO blobs VALUES (?, ?, ?)', id, content, size);

  /** The commit of the blob's row also syncs this write, because it comes before it. */
  function put(content: string, at: number, bytes: Uint8Array) {
    db.exec('PRAGMA synchronous = NORMAL');
    try {
      run('INSERT INTO pieces VALUES (?, ?, ?)', content, at, bytes);
    } finally {
      db.exec('PRAGMA synchronous = FULL');
    }
  }

  async function fill(content: string, position: number, source: Source, signal?: AbortSignal) {
    let size = position;
    signal?.throwIfAborted();
    for await (const bytes of source) {
      signal?.throwIfAborted();
      if (bytes.length > 0) put(content, size, bytes);
      size += bytes.length;
    }
    return size;
  }

  return {
    async identity() {
      return (db.prepare('SELECT id FROM owner').get() as { id: string } | undefined)?.id;
    },
    async identify(storeId) {
      run('INSERT OR REPLACE INTO owner VALUES (1, ?)', storeId);
    },
    async write(id, source, options) {
      if (find(id) !== undefined) throw new Error(`The blob ${id} already exists.`);
      const size = await fill(id, 0, source, options?.signal);
      add(id, id, size); // The blob exists from here on.
      return { size };
    },
    async append(id, position, source, options) {
      const { content, size: before } = known(id);
      if (position > before) throw new Error(`The blob ${id} ends before ${position}.`);
      // The row first, then the data: whatever a crash leaves, the next append truncates it.
      run('UPDATE blobs SET size = ? WHERE id = ?', position, id);
      run('DELETE FROM pieces WHERE content = ? AND at >= ?', content, position);
      run(CUT, content, position);
      const size = await fill(content, position, source, options?.signal);
      run('UPDATE blobs SET size = ? WHERE id = ?', size, id);
      return { size };
    },
    async read(id, { start, end }) {
      const { content, size } = known(id);
      if (size < end) throw new Error(`The blob ${id} has ${size} bytes, not ${end}.`);
      return openRange(path, content, start, end);
    },
    async share(id, as) {
      const { content, size } = known(id);
      if (find(as) !== undefined) throw new Error(`The blob ${as} already exists.`);
      add(as, content, size);
    },
    async remove(id) {
      // A failed write leaves pieces under its own id, but no row.
      const content = find(id)?.content ?? id;
      // The data first, then the row: after a crash in between, the row still refers to the
      // content.
      run(SWEEP, content, id);
      run('DELETE FROM blobs WHERE id = ?', id);
    },
    async *list() {
      for (let last = ''; ; ) {
        const page = db.prepare(PAGE).all(last) as Listed[];
        if (page.length === 0) return;
        yield* page;
        last = page.at(-1)?.id as string;
      }
    },
    async close() {
      if (db.isOpen) db.close();
    },
  };
}

interface Blob {
  readonly content: string;
  readonly size: number;
}
type Listed = { readonly id: string; readonly size: number };
type Piece = { readonly at: number; readonly bytes: Uint8Array };
type Source = AsyncIterable<Uint8Array>;

/** Truncates the piece that contains a position. */
const CUT = `UPDATE pieces SET bytes = substr(bytes, 1, ?2 - at) WHERE content = ?1
  AND at = (SELECT max(at) FROM pieces WHERE content = ?1 AND at < ?2) AND at + length(bytes) > ?2`;
/** Removes the pieces of a content that no other blob refers to. */
const SWEEP = `DELETE FROM pieces WHERE content = ?1
  AND NOT EXISTS (SELECT 1 FROM blobs WHERE content = ?1 AND id <> ?2)`;
/** The piece that contains a position, if there is one. */
const PIECE_AT = `SELECT at, bytes FROM pieces WHERE content = ? AND at <= ? ORDER BY at DESC LIMIT 1`;
const PAGE = `SELECT id, size FROM blobs WHERE id > ? ORDER BY id LIMIT 1000`;

/**
 * Uses a separate connection, whose snapshot outlives a removal, an append and the store's close.
 */
function openRange(path: string, content: string, start: number, end: number): Readable {
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec('BEGIN');
  const find = db.prepare(PIECE_AT);
  const pieceAt = (position: number) => find.get(content, position) as Piece | undefined;
  pieceAt(start); // The snapshot begins here, and not when the stream is read.
  function* bytes() {
    for (let position = start; position < end; ) {
      const piece = pieceAt(position);
      const slice = piece?.bytes.subarray(position - piece.at, end - piece.at);
      if (!slice?.length) throw new Error(`The bytes end at ${position}, before ${end}.`);
      position += slice.length;
      yield slice;
    }
  }
  return Readable.from(bytes(), { objectMode: false }).once('close', () => db.close());
}
