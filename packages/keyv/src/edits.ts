import type { ByteString } from './keys.js';
import type { Child, Item } from './page.js';
import { childIndex } from './tree-reader.js';

/** The effect of a commit on one key: the item afterwards, if any. */
export interface Edit {
  readonly key: ByteString;
  readonly item: Item | undefined;
}

/** The edits below each child that has any, by the child's index. */
export function editsByChild(
  children: readonly Child[],
  edits: readonly Edit[],
): Map<number, Edit[]> {
  const own = new Map<number, Edit[]>();
  for (const edit of edits) {
    const index = childIndex(children, edit.key);
    const others = own.get(index);
    if (others) others.push(edit);
    else own.set(index, [edit]);
  }
  return own;
}
