import { type Pages, packPages, unpackPages } from './page-ids.js';
import { damage, seal, unseal } from './seal.js';

export const ROOT_ID = 'root';

/** Branches have two children at least, so that no tree of ours comes near this height. */
const MAX_HEIGHT = 64;

/** The page at the top of a tree. A height of 1: it is a leaf. */
export interface Tree {
  readonly id: string;
  readonly height: number;
}

/**
 * The one value that says which tree is the current one. Its swap is the commit point.
 *
 * It also names every page that is stored and not in the tree, so that clean-up never has to
 * search: the pages that commits dropped wait in `dropped`, and what a commit under way may have
 * written lies between `next` and `reserved`.
 */
export interface Root {
  /** The namespace, so that two which an adapter mixes up can be distinguished. */
  readonly name: string;
  /** Raised by every open that takes over from another writer. */
  readonly epoch: number;
  /** The token of the only writer; empty when several may write. */
  readonly owner: string;
  /** Counts the swaps. */
  readonly generation: number;
  /** The last version given. */
  readonly sequence: number;
  /** Absent: no records. */
  readonly tree: Tree | undefined;
  /** The owner's first page number that no tree ever used. */
  readonly next: number;
  /** The owner writes no page from this number on before it has raised it here. */
  readonly reserved: number;
  /** Pages out of the tree that are still stored, oldest first. */
  readonly dropped: readonly Pages[];
  /** Pages that hold more of `dropped`, when it is long. */
  readonly more: Pages | undefined;
}

export function sealRoot(root: Root): string {
  const { name, epoch, owner, generation, sequence, tree, next, reserved, dropped, more } = root;
  const numbers = [epoch, generation, sequence, next, reserved];
  const top = tree ? [tree.id, tree.height] : [];
  return seal(ROOT_ID, [
    name,
    owner,
    numbers,
    top,
    packPages(dropped),
    packPages(more ? [more] : []),
  ]);
}

type Packed = (string | number)[];

export function unsealRoot(text: unknown): Root {
  const fields = unseal(ROOT_ID, text) as [string, string, number[], Packed, Packed, Packed];
  const [name, owner, numbers, top, dropped, more] = fields;
  const [epoch = 0, generation = 0, sequence = 0, next = 0, reserved = 0] = numbers;
  const tree = top.length > 0 ? { id: top[0] as string, height: top[1] as number } : undefined;
  if (tree && !(Number.isInteger(tree.height) && tree.height > 0 && tree.height <= MAX_HEIGHT)) {
    throw damage(ROOT_ID, `its tree has a height of ${tree.height}`);
  }
  return {
    name,
    epoch,
    owner,
    generation,
    sequence,
    tree,
    next,
    reserved,
    dropped: unpackPages(dropped),
    more: unpackPages(more)[0],
  };
}
