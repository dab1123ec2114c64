import type { Mistake } from './broken.js';
import { LAZY } from './broken-reads.js';

/** An append that separates a blob from the blobs that share its content, and damages theirs. */
const MOVE: Mistake['edits'] = [
  [
    'run(CUT, content, position);',
    "run('UPDATE pieces SET content = ? WHERE content = ?', id + '+', content);" +
      "run('UPDATE blobs SET content = ? WHERE id = ?', id + '+', id);",
  ],
  ['await fill(content, position, source', "await fill(id + '+', position, source"],
];

/** Mistakes in the writes, appends, shares and removals of the driver of examples/custom-driver. */
export const writeMistakes: readonly Mistake[] = [
  {
    does: 'append keeps the data after its position',
    edits: [['run(CUT, content, position);', '']],
    caught: 'blobs-append-cuts',
  },
  {
    does: 'append writes at the end, whatever its position',
    edits: [['await fill(content, position, source', 'await fill(content, before, source']],
    caught: 'blobs-append-cuts',
  },
  {
    does: 'append leaves a hole if its position is after the end',
    edits: [['if (position > before)', 'if (false)']],
    caught: 'blobs-append-gap',
  },
  {
    does: 'append removes the data of blobs that share it',
    edits: MOVE,
    caught: 'blobs-share-append',
  },
  {
    does: 'append discards the old data before it has the new data',
    edits: [
      ["run('DELETE FROM pieces WHERE content = ? AND at >= ?', content, position);", ''],
      [
        'run(CUT, content, position);',
        "const old = db.prepare('SELECT at, bytes FROM pieces WHERE content = ?').all(content);" +
          "run('DELETE FROM pieces WHERE content = ?', content);",
      ],
      [
        "run('UPDATE blobs SET size = ? WHERE id = ?', size, id);",
        'for (const { at, bytes } of old) put(content, at, bytes);' +
          "run('UPDATE blobs SET size = ? WHERE id = ?', size, id);",
      ],
    ],
    caught: 'blobs-write-source-failure',
  },
  {
    does: 'remove of an absent blob rejects',
    edits: [['const content = find(id)?.content ?? id;', 'const { content } = known(id);']],
    caught: 'blobs-remove',
  },
  {
    does: 'remove rejects for what a failed write left',
    edits: [
      [
        'const content = find(id)?.content ?? id;',
        'const content = find(id)?.content ?? id;' +
          "const left = db.prepare('SELECT 1 FROM pieces WHERE content = ?').get(id);" +
          "if (left && !find(id)) throw new Error('The blob is incomplete.');",
      ],
    ],
    caught: 'blobs-remove-unfinished',
  },
  {
    does: 'remove also removes data that another blob shares',
    edits: [['AND NOT EXISTS (SELECT 1 FROM blobs WHERE content = ?1 AND id <> ?2)', 'OR ?2 = 1']],
    caught: 'blobs-share-independent',
  },
  {
    does: 'share replaces an existing blob with the new id',
    edits: [
      ['if (find(as) !== undefined)', 'if (false)'],
      ['INSERT INTO blobs', 'INSERT OR REPLACE INTO blobs'],
    ],
    caught: 'blobs-write-once',
  },
  {
    does: 'write replaces an existing blob with the same id',
    edits: [
      ['if (find(id) !== undefined)', 'if (false)'],
      ['INSERT INTO blobs', 'INSERT OR REPLACE INTO blobs'],
      ['INSERT INTO pieces', 'INSERT OR REPLACE INTO pieces'],
    ],
    caught: 'blobs-write-once',
  },
  {
    does: 'write creates no blob for an empty source',
    edits: [['add(id, id, size);', 'if (size > 0) add(id, id, size);']],
    caught: 'blobs-write-empty',
  },
  {
    does: 'write replaces the error of the source',
    edits: [
      [
        'await fill(id, 0, source, options?.signal);',
        'await fill(id, 0, source, options?.signal).catch((cause) => {' +
          "throw new Error('The write failed.', { cause });" +
          '});',
      ],
    ],
    caught: 'blobs-write-source-failure',
  },
  {
    does: 'append ignores the abort signal',
    edits: [
      [
        'await fill(content, position, source, options?.signal)',
        'await fill(content, position, source)',
      ],
    ],
    caught: 'blobs-write-abort',
  },
  {
    does: 'an invalid id is used as a file name',
    edits: [['checkBlobId(id);', "if (!/^[0-9a-f]{32}/.test(id)) throw new TypeError('No id.');"]],
    caught: 'blobs-write-ids',
  },
  {
    does: 'write stores at most 64 KiB of a chunk',
    edits: [['size += bytes.length;', 'size += Math.min(bytes.length, 65536);']],
    caught: 'blobs-write-pieces',
  },
  {
    does: 'write accepts only generators',
    edits: [
      [
        'for await (const bytes of source) {',
        "for await (const bytes of 'pipe' in source ? [] : source) {",
      ],
    ],
    caught: 'blobs-write-stream',
  },
  {
    does: 'concurrent writes share one counter',
    edits: [
      ['async function fill(', 'let size = 0;async function fill('],
      ['let size = position;', 'size = position;'],
    ],
    caught: 'blobs-write-parallel',
  },
  {
    does: 'append returns the number of written bytes instead of the size of the blob',
    edits: [
      [
        "run('UPDATE blobs SET size = ? WHERE id = ?', size, id);",
        "run('UPDATE blobs SET size = ? WHERE id = ?', size, id); return { size: size - position };",
      ],
    ],
    caught: 'blobs-append-grows',
  },
  {
    does: 'append moves the data away from open streams',
    edits: [...LAZY, ...MOVE],
    caught: 'blobs-append-open-streams',
  },
];
