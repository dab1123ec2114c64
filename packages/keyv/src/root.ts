import { type Pages, packPages, unpackPages } from './page-ids.js';
import { damage, seal, unseal } from './seal.js';

export const ROOT_ID = 'root';

/** Branches have at least two children, so only a damaged tree is higher. */
const MAX_HEIGHT = 64;

/** The page at the top of a tree. With height 1, it is a leaf. */
export interface Tree {
  readonly id: string;
  readonly height: number;
}

/**
 * The value that determines the current tree. Each commit swaps it.
 *
 * It also accounts for every stored page outside the tree, so that clean-up never has to search:
 * `dropped` lists the pages that commits no longer use, and pages that an unfinished commit may
 * have written have numbers from `next` to `reserved`.
 */
export interface Root {
  /** The namespace, to detect an adapter that mixes up two namespaces. */
  readonly name: string;
  /**
   * A random id that a store gets when its first root is created, and keeps. Empty in those of earlier
   * versions.
   */
  readonly lineage: string;
  /** Incremented by each process that takes the store over from another writer. */
  readonly epoch: number;
  /** The token of the only writer; empty when several may write. */
  readonly owner: string;
  /** Counts the swaps. */
  readonly generation: number;
  /** The last used version. */
  readonly sequence: number;
  /** `undefined`: there are no records. */
  readonly tree: Tree | undefined;
  /** The first page number of the owner that no tree has used. */
  readonly next: number;
  /** The end of the reserved page numbers. The owner raises it before it writes further pages. */
  readonly reserved: number;
  /** Pages outside the tree that are still stored, oldest first. */
  readonly dropped: readonly Pages[];
  /** Pages that contain the rest of `dropped` when it is long. */
  readonly more: Pages | undefined;
}

/** `nonce`: distinguishes roots of two processes that would otherwise be equal. */
export function sealRoot(root: Root, nonce?: string): string {
  const { name, lineage, epoch, owner, generation, sequence, tree, next, reserved } = root;
  const numbers = [epoch, generation, sequence, next, reserved];
  const top = tree ? [tree.id, tree.height] : [];
  return seal(ROOT_ID, [
    name,
    owner,
    numbers,
    top,
    packPages(root.dropped),
    packPages(root.more ? [root.more] : []),
    lineage,
    ...(nonce === undefined ? [] : [nonce]),
  ]);
}

type Packed = (string | number)[];
type Fields = [string, string, number[], Packed, Packed, Packed, string?];

export function unsealRoot(text: unknown): Root {
  const fields = unseal(ROOT_ID, text) as Fields;
  const [name, owner, numbers, top, dropped, more, lineage = ''] = fields;
  const [epoch = 0, generation = 0, sequence = 0, next = 0, reserved = 0] = numbers;
  const tree = top.length > 0 ? { id: top[0] as string, height: top[1] as number } : undefined;
  if (tree && !(Number.isInteger(tree.height) && tree.height > 0 && tree.height <= MAX_HEIGHT)) {
    throw damage(ROOT_ID, `its tree has a height of ${tree.height}`);
  }
  return {
    ...{ name, lineage, epoch, owner, generation, sequence, tree, next, reserved },
    dropped: unpackPages(dropped),
    more: unpackPages(more)[0],
  };
}
