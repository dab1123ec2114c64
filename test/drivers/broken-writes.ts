import type { Mistake } from './broken.js';
import { LAZY } from './broken-reads.js';

/** An append that separates a blob's content from the blobs that share it, and damages theirs. */
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
    does: 'append leaves the tail behind its position in place',
    edits: [['run(CUT, content, position);', '']],
    caught: 'blobs-append-cuts',
  },
  {
    does: 'append writes at the end, whatever its position',
    edits: [['await fill(content, position, source', 'await fill(content, before, source']],
    caught: 'blobs-append-cuts',
  },
  {
    does: 'append leaves a hole where its position lies behind the end',
    edits: [['if (position > before)', 'if (false)']],
    caught: 'blobs-append-gap',
  },
  {
    does: 'append takes the bytes away from those who share them',
    edits: MOVE,
    caught: 'blobs-share-append',
  },
  {
    does: 'append throws the old bytes away before it has the new ones',
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
    does: 'remove of what a failed write left rejects',
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
    does: 'remove takes the bytes along that another blob shares',
    edits: [['AND NOT EXISTS (SELECT 1 FROM blobs WHERE content = ?1 AND id <> ?2)', 'OR ?2 = 1']],
    caught: 'blobs-share-independent',
  },
  {
    does: 'share replaces a blob that has the second id',
    edits: [
      ['if (find(as) !== undefined)', 'if (false)'],
      ['INSERT INTO blobs', 'INSERT OR REPLACE INTO blobs'],
    ],
    caught: 'blobs-write-once',
  },
  {
    does: 'write replaces a blob that has the id',
    edits: [
      ['if (find(id) !== undefined)', 'if (false)'],
      ['INSERT INTO blobs', 'INSERT OR REPLACE INTO blobs'],
      ['INSERT INTO pieces', 'INSERT OR REPLACE INTO pieces'],
    ],
    caught: 'blobs-write-once',
  },
  {
    does: 'write makes no blob of an empty source',
    edits: [['add(id, id, size);', 'if (size > 0) add(id, id, size);']],
    caught: 'blobs-write-empty',
  },
  {
    does: "write puts an error of its own in the place of the source's",
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
    does: 'append does not hear the abort signal',
    edits: [
      [
        'await fill(content, position, source, options?.signal)',
        'await fill(content, position, source)',
      ],
    ],
    caught: 'blobs-write-abort',
  },
  {
    does: 'an id that only looks like one becomes a name',
    edits: [['checkBlobId(id);', "if (!/^[0-9a-f]{32}/.test(id)) throw new TypeError('No id.');"]],
    caught: 'blobs-write-ids',
  },
  {
    does: 'write takes no more than 64 KiB of a piece',
    edits: [['size += bytes.length;', 'size += Math.min(bytes.length, 65536);']],
    caught: 'blobs-write-pieces',
  },
  {
    does: 'write knows generators only',
    edits: [
      [
        'for await (const bytes of source) {',
        "for await (const bytes of 'pipe' in source ? [] : source) {",
      ],
    ],
    caught: 'blobs-write-stream',
  },
  {
    does: 'writes that run at the same time count in one place',
    edits: [
      ['async function fill(', 'let size = 0;async function fill('],
      ['let size = position;', 'size = position;'],
    ],
    caught: 'blobs-write-parallel',
  },
  {
    does: 'append tells how much it wrote, and not how large the blob is',
    edits: [
      [
        "run('UPDATE blobs SET size = ? WHERE id = ?', size, id);",
        "run('UPDATE blobs SET size = ? WHERE id = ?', size, id); return { size: size - position };",
      ],
    ],
    caught: 'blobs-append-grows',
  },
  {
    does: 'append moves the bytes away from streams that are open',
    edits: [...LAZY, ...MOVE],
    caught: 'blobs-append-open-streams',
  },
];
