import { numberOf, numberOfText } from './fingerprint.js';
import { applied, type Change, type Inode, torn } from './inode.js';
import type { Random } from './random.js';

/** What a name refers to. 0 is a directory. */
export type Id = number;
const DIRECTORY: Id = 0;

/** A change of a directory that is not durable yet. */
interface Renaming {
  readonly directory: string;
  readonly name: string;
  readonly id: Id | undefined;
  /** The sync of the directory failed, and no later sync makes the change durable. */
  readonly lost: boolean;
}

type Names = ReadonlyMap<string, Id>;
type Tree = Map<string, Names>;

const EMPTY = Buffer.alloc(0);
const NONE: Names = new Map();

/**
 * A file system as weak as POSIX allows. After a power cut, a file has the data that was synced and
 * any part of the data that was not. Each change of a directory that was not synced has happened or
 * not, independently of the others. If the name of a directory is lost, so is everything in it,
 * even if it was synced.
 */
export class Disk {
  #inodes = new Map<Id, Inode>();
  #names: Tree = new Map();
  #durableNames: Tree = new Map();
  #renamings: readonly Renaming[] = [];
  #lastId = 1;

  /** A disk with an empty directory whose name is durable. */
  static withDirectory(path: string): Disk {
    const disk = new Disk();
    disk.#names.set(path, NONE);
    disk.#durableNames.set(path, NONE);
    return disk;
  }

  snapshot(): Disk {
    const copy = new Disk();
    copy.#inodes = new Map(this.#inodes);
    copy.#names = new Map(this.#names);
    copy.#durableNames = new Map(this.#durableNames);
    copy.#renamings = this.#renamings;
    copy.#lastId = this.#lastId;
    return copy;
  }

  namesIn(directory: string): Names | undefined {
    return this.#names.get(directory);
  }

  find(path: string): Id | undefined {
    const { directory, name } = split(path);
    return this.#names.get(directory)?.get(name);
  }

  inode(id: Id): Inode {
    return this.#inodes.get(id) as Inode;
  }

  create(): Id {
    const id = ++this.#lastId;
    this.#inodes.set(id, { data: EMPTY, durable: EMPTY, changes: [], lossy: false });
    return id;
  }

  /** Makes a name refer to another file, or removes it. */
  rename(path: string, id: Id | undefined): void {
    const { directory, name } = split(path);
    setName(this.#names, directory, name, id);
    this.#renamings = [...this.#renamings, { directory, name, id, lost: false }];
  }

  makeDirectory(path: string): void {
    this.rename(path, DIRECTORY);
    this.#names.set(path, NONE);
  }

  write(id: Id, at: number, bytes: Buffer): void {
    this.#change(id, { at, bytes });
  }

  truncate(id: Id, size: number): void {
    this.#change(id, { size });
  }

  sync(id: Id): void {
    const { data, durable, changes, lossy } = this.inode(id);
    const now = lossy ? changes.reduce(applied, durable) : data;
    this.#inodes.set(id, { data, durable: now, changes: [], lossy });
  }

  /** The system drops data that it could not write, and does not retry. */
  failSync(id: Id): void {
    this.#inodes.set(id, { ...this.inode(id), changes: [], lossy: true });
  }

  syncDirectory(directory: string): void {
    const durable = new Set<string>();
    for (const { directory: of, name, id, lost } of this.#renamings) {
      if (of !== directory || lost) continue;
      setName(this.#durableNames, directory, name, id);
      durable.add(name);
    }
    // An earlier change of a name cannot come back after a later, durable one.
    this.#renamings = this.#renamings.filter(
      (renaming) => renaming.directory !== directory || !durable.has(renaming.name),
    );
  }

  failSyncDirectory(directory: string): void {
    this.#renamings = this.#renamings.map((renaming) =>
      renaming.directory === directory ? { ...renaming, lost: true } : renaming,
    );
  }

  /** How many decisions a power cut makes. */
  get undecided(): number {
    let dirty = 0;
    for (const { changes } of this.#inodes.values()) if (changes.length > 0) dirty++;
    return dirty + this.#renamings.length;
  }

  /** What a power cut leaves. `bias` is the probability that unsynced data survives. */
  cut(random: Random, bias: number): Disk {
    const disk = new Disk();
    const names = new Map(this.#durableNames);
    for (const { directory, name, id } of this.#renamings) {
      if (random.chance(bias)) setName(names, directory, name, id);
    }
    disk.#names = withoutLostDirectories(names);
    disk.#durableNames = new Map(disk.#names);
    disk.#lastId = this.#lastId;
    for (const found of disk.#names.values()) {
      for (const id of found.values()) {
        if (id === DIRECTORY || disk.#inodes.has(id)) continue;
        const inode = this.inode(id);
        const isDirty = inode.changes.length > 0 && random.chance(bias);
        const data = isDirty ? torn(inode, random) : inode.durable;
        const isClean = data === inode.data && inode.changes.length === 0 && !inode.lossy;
        const left = isClean ? inode : { data, durable: data, changes: [], lossy: false };
        disk.#inodes.set(id, left);
      }
    }
    return disk;
  }

  /** The same text for disks with the same names and equal data. */
  fingerprint(): string {
    let text = '';
    for (const [directory, names] of this.#names) text += `${numberOfNames(directory, names)},`;
    for (const [id, { data }] of this.#inodes) text += `${id}=${numberOf(data)},`;
    return text;
  }

  #change(id: Id, change: Change): void {
    const inode = this.inode(id);
    const data = applied(inode.data, change);
    this.#inodes.set(id, { ...inode, data, changes: [...inode.changes, change] });
  }
}

const splits = new Map<string, { directory: string; name: string }>();

function split(path: string): { directory: string; name: string } {
  let parts = splits.get(path);
  if (parts === undefined) {
    const slash = path.lastIndexOf('/');
    parts = { directory: path.slice(0, slash), name: path.slice(slash + 1) };
    if (splits.size > 20_000) splits.clear();
    splits.set(path, parts);
  }
  return parts;
}

function setName(tree: Tree, directory: string, name: string, id: Id | undefined): void {
  const names = new Map(tree.get(directory));
  if (id === undefined) names.delete(name);
  else names.set(name, id);
  tree.set(directory, names);
}

const numbered = new WeakMap<Names, number>();

/** The same number for equal names in the same directory. */
function numberOfNames(directory: string, names: Names): number {
  if (names === NONE) return numberOfText(directory);
  let number = numbered.get(names);
  if (number === undefined) {
    number = numberOfText(`${directory} ${[...names].join(' ')}`);
    numbered.set(names, number);
  }
  return number;
}

/** Only the directories whose own names exist, whether they are empty or not. */
function withoutLostDirectories(tree: Tree): Tree {
  for (const directory of [...tree.keys()]) {
    const { directory: parent, name } = split(directory);
    const siblings = tree.get(parent);
    if (siblings !== undefined && siblings.get(name) !== DIRECTORY) tree.delete(directory);
  }
  for (const [parent, names] of [...tree]) {
    for (const [name, id] of names) {
      const path = `${parent}/${name}`;
      if (id === DIRECTORY && !tree.has(path)) tree.set(path, NONE);
    }
  }
  return tree;
}
