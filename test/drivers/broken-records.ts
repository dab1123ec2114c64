import type { Mistake } from './broken.js';

const YIELD = 'await new Promise(setImmediate);';
const COPY = '({ key, value: copyPlainData(value) })';

/** Makes the records in memory outlive their store, without mistakes. */
export const KEEP: Mistake['edits'] = [
  [
    'class MemoryMetadata {',
    'class MemoryMetadata {' +
      'reopened() {' +
      'const next = new MemoryMetadata();' +
      'next.#entries = this.#entries;' +
      'next.#keys = this.#keys;' +
      'next.#lastVersion = this.#lastVersion;' +
      'return next;' +
      '}',
  ],
];

/** Mistakes in the metadata store in memory. */
export const recordMistakes: readonly Mistake[] = [
  {
    does: 'list orders keys as JavaScript compares them, by UTF-16 units',
    edits: [['return found;', 'return found.sort((a, b) => (a.key < b.key ? -1 : 1));']],
    caught: 'metadata-keys-utf8-order',
  },
  {
    does: 'list returns the last keys first',
    edits: [['return found;', 'return found.reverse();']],
    caught: 'metadata-keys-utf8-order',
  },
  {
    does: 'list begins after its start',
    edits: [['if (found.length >= limit', 'if (key === start) continue;if (found.length >= limit']],
    caught: 'metadata-keys-start',
  },
  {
    does: 'list begins at a start before its prefix, and finds nothing',
    edits: [['compareKeys(start, prefix) < 0 ? prefix : start', 'start']],
    caught: 'metadata-keys-start',
  },
  {
    does: 'list treats a prefix as a range up to the highest character',
    edits: [['!key.startsWith(prefix)', "key > prefix + '\\uffff'"]],
    caught: 'metadata-keys-prefix',
  },
  {
    does: 'list returns one entry more than its limit',
    edits: [['found.length >= limit', 'found.length > limit']],
    caught: 'metadata-keys-limit',
  },
  {
    does: 'list omits all keys of a group',
    edits: [
      [
        'found.push(this.#read(key)',
        'if (delimiter && key.indexOf(delimiter, prefix.length) >= 0) continue; found.push(this.#read(key)',
      ],
    ],
    caught: 'metadata-keys-delimiter',
  },
  {
    does: 'list with a delimiter ends after fifty keys',
    edits: [
      [
        'if (found.length >= limit',
        'if ((delimiter && found.length >= 50) || found.length >= limit',
      ],
    ],
    caught: 'metadata-keys-many-groups',
  },
  {
    does: 'list refuses to start right after the longest key',
    edits: [['checkText(start);', 'if (start) checkKey(start);']],
    caught: 'metadata-keys-longest',
  },
  {
    does: 'commit puts keys that are empty, ill-formed or of any length',
    edits: [['[...expect, ...put])', 'expect)']],
    caught: 'metadata-keys-refused',
  },
  {
    does: 'getMany omits absent keys',
    edits: [['keys.map((key) => this.#read(key))', 'keys.flatMap((key) => this.#read(key) ?? [])']],
    caught: 'metadata-keys-get-many',
  },
  {
    does: 'getMany reads one key after the other',
    edits: [
      [
        'return keys.map((key) => this.#read(key));',
        `const all = []; for (const key of keys) { all.push(this.#read(key)); ${YIELD} } return all;`,
      ],
    ],
    caught: 'metadata-commit-snapshot',
  },
  {
    does: 'a snapshot shows what is committed later',
    edits: [['copy.#write(entry);', '{ copy.#entries = this.#entries; copy.#keys = this.#keys; }']],
    caught: 'metadata-snapshot-instant',
  },
  {
    does: 'close leaves the snapshots of the store open',
    edits: [['for (const snapshot of this.#snapshots)', 'for (const snapshot of [])']],
    caught: 'metadata-snapshot-close',
  },
  {
    does: 'commit writes one key after the other',
    edits: [
      [
        'this.#write({ key, value, version })',
        `{ ${YIELD} this.#write({ key, value, version }); }`,
      ],
    ],
    caught: 'metadata-commit-snapshot',
  },
  {
    does: 'commit deletes before it checks its expectations',
    edits: [['const holds =', 'for (const key of removed) this.#remove(key); const holds =']],
    caught: 'metadata-commit-failed-expectation',
  },
  {
    does: 'commit checks only its first expectation',
    edits: [['expect.every(', 'expect.slice(0, 1).every(']],
    caught: 'metadata-commit-failed-expectation',
  },
  {
    does: 'commit ignores an expected absence',
    edits: [
      ['?.version === version', '?.version === (version ?? this.#entries.get(key)?.version)'],
    ],
    caught: 'metadata-commit-failed-expectation',
  },
  {
    does: 'commit is interrupted between its expectations and its changes',
    edits: [['if (!holds)', `${YIELD} if (!holds)`]],
    caught: 'metadata-commit-one-winner',
  },
  {
    does: 'commit deletes after its puts',
    edits: [
      ['for (const key of removed)', 'for (const key of [])'],
      ['return version;', 'removed.forEach((key) => this.#remove(key)); return version;'],
    ],
    caught: 'metadata-commit-order',
  },
  {
    does: 'a value that is put again keeps its version',
    edits: [
      [
        'this.#entries.set(entry.key, entry);',
        'const old = this.#entries.get(entry.key);' +
          'const same = JSON.stringify(old?.value) === JSON.stringify(entry.value);' +
          'if (!same) this.#entries.set(entry.key, entry);',
      ],
    ],
    caught: 'metadata-commit-versions',
  },
  {
    does: 'versions start again from one after a delete',
    edits: [
      [
        'this.#write({ key, value, version })',
        "this.#write({ key, value, version: String(1 + Number(this.#entries.get(key)?.version ?? '0')) })",
      ],
    ],
    caught: 'metadata-commit-versions',
  },
  {
    does: 'commit resolves to true instead of a version',
    edits: [['return version;', 'return String(holds);']],
    caught: 'metadata-commit-answer',
  },
  {
    does: 'commit resolves to the previous version of a key',
    edits: [
      [
        'const version =',
        'const before = this.#entries.get(put.at(-1)?.key)?.version; const version =',
      ],
      ['return version;', 'return before ?? version;'],
    ],
    caught: 'metadata-commit-answer',
  },
  {
    does: 'commit resolves to the last version of any commit',
    edits: [['return version;', `${YIELD} return String(this.#lastVersion);`]],
    caught: 'metadata-commit-answer',
  },
  {
    does: 'commit resolves to undefined for a change that only deletes',
    edits: [['return version;', "return put.length > 0 ? version : '';"]],
    caught: 'metadata-commit-put-delete',
  },
  {
    does: 'get returns the stored value itself',
    edits: [['value: copyPlainData(entry.value)', 'value: entry.value']],
    caught: 'metadata-values-isolated',
  },
  {
    does: 'commit stores the given value itself',
    edits: [[COPY, '(copyPlainData(value), { key, value })']],
    caught: 'metadata-values-isolated',
  },
  {
    does: 'values go through JSON',
    edits: [[COPY, '({ key, value: JSON.parse(JSON.stringify(value)) })']],
    caught: 'metadata-values-bytes',
  },
  {
    does: 'a closed store can be used',
    edits: [['if (this.#closed)', 'if (false)']],
    caught: 'metadata-lifetime-close',
  },
  {
    does: 'list returns at most 1,000 entries',
    edits: [['found.length >= limit', 'found.length >= Math.min(limit, 1000)']],
    caught: 'metadata-keys-many-in-order',
  },
  {
    does: 'long texts are truncated',
    edits: [[COPY, "({ key, value: typeof value === 'string' ? value.slice(0, 65536) : value })"]],
    caught: 'metadata-values-round-trip',
  },
  {
    does: 'objects are copied by assigning their keys',
    edits: [
      [
        COPY,
        '({ key, value: (function copy(from) {' +
          "if (from === null || typeof from !== 'object') return from;" +
          'const to = Array.isArray(from) ? [] : {};' +
          'for (const name of Object.keys(from)) to[name] = copy(from[name]);' +
          'return to;' +
          '})(value) })',
      ],
    ],
    caught: 'metadata-values-own-proto',
  },
  {
    does: 'unsupported values are omitted',
    edits: [[COPY, '({ key, value: JSON.parse(JSON.stringify(value) ?? null) })']],
    caught: 'metadata-values-refused',
  },
  {
    does: 'commit rejects when a key that it deletes is absent',
    edits: [
      [
        'removed.forEach(checkKey);',
        "for (const key of removed) if (!this.#entries.has(key)) throw new Error('Not found.');",
      ],
    ],
    caught: 'metadata-commit-put-delete',
  },
  {
    does: 'get reads from a cache that commits do not clear',
    edits: [['return this.#read(key);', 'return ((this.cache ??= {})[key] ??= this.#read(key));']],
    caught: 'metadata-commit-visible',
  },
  {
    does: 'commit accepts at most 100 expectations',
    edits: [['expect.every(', 'expect.length <= 100 && expect.every(']],
    caught: 'metadata-commit-expectations',
  },
  {
    does: 'every key has the version of the last commit',
    edits: [['{ ...entry,', '{ ...entry, version: String(this.#lastVersion),']],
    caught: 'metadata-commit-stable-version',
  },
  {
    does: 'commit waits between its expectations and its changes',
    edits: [['if (!holds)', `${YIELD} if (!holds)`]],
    caught: 'metadata-commit-no-lost-update',
  },
  {
    does: 'close drops running commits',
    edits: [['if (!holds)', `${YIELD} if (this.#closed) return '0'; if (!holds)`]],
    caught: 'metadata-lifetime-close-keeps',
  },
  {
    does: 'versions start again from one when the store is opened',
    edits: [['next.#lastVersion = this.#lastVersion;', '']],
    caught: 'metadata-lifetime-reopen',
  },
];
