import type { Mistake } from './broken.js';

/** A read that opens its file only when the first byte is requested. */
export const LAZY: Mistake['edits'] = [
  [
    'return openRange(path, content, start, end);',
    'return Readable.from((async function* () {' +
      'yield* openRange(path, content, start, end);' +
      '})(), { objectMode: false });',
  ],
];

/** Mistakes in the reads, listings and lifetime of the driver of examples/custom-driver. */
export const readMistakes: readonly Mistake[] = [
  {
    does: 'read resolves before anything is open',
    edits: LAZY,
    caught: 'blobs-read-while-removed',
  },
  {
    does: 'read ends early where the blob is too short',
    edits: [
      ['if (size < end)', 'if (false)'],
      ['if (!slice?.length)', 'if (!slice?.length) return; if (false)'],
    ],
    caught: 'blobs-read-beyond',
  },
  {
    does: 'read treats the end of a range as inclusive',
    edits: [['end - piece.at)', 'end - piece.at + 1)']],
    caught: 'blobs-read-ranges',
  },
  {
    does: 'read of an absent blob rejects with an arbitrary error',
    edits: [['throw new BlobNotFoundError(id);', "throw new Error('ENOENT');"]],
    caught: 'blobs-read-missing',
  },
  {
    does: 'list includes a blob that is not complete yet, under a different name',
    edits: [
      [
        'const size = await fill(id, 0, source, options?.signal);',
        "add(id + '.part', id, 0);" +
          'const size = await fill(id, 0, source, options?.signal);' +
          "run('DELETE FROM blobs WHERE id = ?', id + '.part');",
      ],
    ],
    caught: 'blobs-list-ids',
  },
  {
    does: 'list ends after its first page',
    edits: [
      ['LIMIT 1000', 'LIMIT 200'],
      ['yield* page;', 'yield* page; return;'],
    ],
    caught: 'blobs-list',
  },
  {
    does: 'identify keeps the id in memory',
    edits: [
      ["run('INSERT OR REPLACE INTO owner VALUES (1, ?)', storeId);", 'db.storeId = storeId;'],
      ["return db.prepare('SELECT id FROM owner').get()?.id;", 'return db.storeId;'],
    ],
    caught: 'blobs-lifetime-identity-kept',
  },
  {
    does: 'close ends open streams',
    edits: [
      ['return openRange(path,', 'return openRange(db,'],
      ['const db = new DatabaseSync(path, { readOnly: true });', 'const db = path;'],
      ["db.exec('BEGIN');", ''],
      [".once('close', () => db.close())", ''],
    ],
    caught: 'blobs-lifetime-close',
  },
  {
    does: 'close fails when it is called again',
    edits: [['if (db.isOpen)', 'if (true)']],
    caught: 'blobs-lifetime-close',
  },
  {
    does: 'concurrent streams share one position',
    edits: [
      ['const CUT =', 'let position = 0; const CUT ='],
      ['let position = start;', 'position = start;'],
    ],
    caught: 'blobs-read-parallel',
  },
  {
    does: 'read returns its cache',
    edits: [
      ['const CUT =', 'const cache = {}; const CUT ='],
      ['piece?.bytes.subarray(', '(cache[content + piece.at] ??= piece.bytes).subarray('],
    ],
    caught: 'blobs-read-isolated',
  },
  {
    does: 'identify keeps the first id',
    edits: [['INSERT OR REPLACE INTO owner', 'INSERT OR IGNORE INTO owner']],
    caught: 'blobs-lifetime-identity',
  },
  {
    does: 'the list of blobs is kept in memory',
    edits: [
      ['CREATE TABLE IF NOT EXISTS blobs', 'CREATE TEMP TABLE blobs'],
      ['CREATE INDEX IF NOT EXISTS contents ON blobs (content);', ''],
    ],
    caught: 'blobs-lifetime-reopen',
  },
  {
    does: 'read releases its connection after a moment',
    edits: [
      ["once('close', () => db.close())", "once('close', () => db.isOpen && db.close())"],
      [
        'const find = db.prepare(PIECE_AT);',
        'const find = db.prepare(PIECE_AT); setTimeout(() => db.isOpen && db.close(), 5);',
      ],
    ],
    caught: 'blobs-read-slowly',
  },
];
