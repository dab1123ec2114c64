import { createHash } from 'node:crypto';

/**
 * What clients can see, as entries of names and texts:
 * `b/<bucket>`, `a/<bucket>` (the grantee has a grant), `o/<bucket>/<key>` = type and bytes,
 * `u/<bucket>/<key>/<upload>`, `p/<upload>/<number>` = bytes.
 * What they cannot see: `c/<upload>` = part list, `t/<bucket>/<key>` = upload, `n/<bucket>` = how
 * many buckets have had the name, `l/<bucket>/<key>` and `l/<upload>` (an object's own list).
 */
export type World = ReadonlyMap<string, string>;

/** Short names for bytes, so that worlds are easy to compare. */
export class Contents {
  readonly #names = new Map<string, string>();
  readonly #bytes: Buffer[] = [];
  readonly #byMd5 = new Map<string, string>();

  nameOf(bytes: Buffer): string {
    const text = bytes.toString('latin1');
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = String(this.#bytes.push(bytes) - 1);
    this.#names.set(text, name);
    this.#byMd5.set(createHash('md5').update(bytes).digest('hex'), name);
    return name;
  }

  /** The name of known bytes, or a description of unknown ones. */
  describe(bytes: Buffer): string {
    return (
      this.#names.get(bytes.toString('latin1')) ??
      `?${bytes.length}:${bytes.toString('hex', 0, 24)}`
    );
  }

  bytesOf(name: string): Buffer {
    return this.#bytes[Number(name)] as Buffer;
  }

  md5Of(name: string): string {
    return createHash('md5').update(this.bytesOf(name)).digest('hex');
  }

  withMd5(md5: string): string {
    return this.#byMd5.get(md5) ?? `?${md5}`;
  }
}

/** One step of an operation. Without a result, the operation continues from `progress`. */
export interface Move {
  readonly world: World;
  readonly progress?: string;
  readonly result?: string;
}

/**
 * The possible next steps of an operation in a world. Without progress, this is the moment of its
 * first read.
 */
export type Moves = (world: World, progress: string) => readonly Move[];

export const ends = (world: World, ...results: readonly string[]): readonly Move[] =>
  results.map((result) => ({ world, result }));

const successors = new WeakMap<World, Map<string, World>>();

/**
 * The world after a change. Always the same object for the same change, since many paths lead to
 * it.
 */
function successor(world: World, change: string, make: (next: Map<string, string>) => void): World {
  let known = successors.get(world);
  if (known === undefined) {
    known = new Map();
    successors.set(world, known);
  }
  const before = known.get(change);
  if (before !== undefined) return before;
  const next = new Map(world);
  make(next);
  known.set(change, next);
  return next;
}

/** A world with other entries. `undefined` removes an entry. */
export function changed(
  world: World,
  entries: Readonly<Record<string, string | undefined>>,
): World {
  const list = Object.entries(entries);
  let change = '';
  for (const [name, value] of list)
    change += value === undefined ? `-${name} ` : `${name}=${value} `;
  return successor(world, change, (next) => {
    for (const [name, value] of list) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
  });
}

/** A world without an upload and its parts. */
export function withoutUpload(world: World, name: string): World {
  return successor(world, `--${name}`, (next) => {
    next.delete(name);
    const parts = `p/${name.slice(name.lastIndexOf('/') + 1)}/`;
    for (const entry of world.keys()) if (entry.startsWith(parts)) next.delete(entry);
  });
}

export const namesUnder = (world: World, prefix: string): string[] =>
  [...world.keys()].filter((name) => name.startsWith(prefix));

const texts = new WeakMap<World, string>();

export function textOf(world: World): string {
  let text = texts.get(world);
  if (text === undefined) {
    const lines: string[] = [];
    for (const [name, value] of world) lines.push(`${name}=${value}`);
    text = lines.sort().join(' ');
    texts.set(world, text);
  }
  return text;
}

const HIDDEN = /^[clnt]\//;

/**
 * The part of a world that can be seen after a crash. Uploads whose ids no client knows have the
 * name `?`, because they cannot be distinguished.
 */
export function visible(world: World, knownUploads: ReadonlySet<string>): string {
  const lines: string[] = [];
  for (const [name, value] of world) {
    if (HIDDEN.test(name)) continue;
    const [kind, , , upload = ''] = name.split('/');
    const anonymous = kind === 'u' && !knownUploads.has(upload);
    lines.push(anonymous ? `${name.slice(0, -upload.length)}?` : `${name}=${value}`);
  }
  return lines.sort().join(' ');
}
