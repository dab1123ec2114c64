import { type ByteString, detached, LAST_BYTE, sharedLength } from './keys.js';
import { type Pages, packIds, packPages, unpackIds, unpackPages } from './page-ids.js';
import { damage, seal, unseal } from './seal.js';

/** A record. A value that is too large for a leaf is stored in separate pages. */
export interface Item {
  readonly key: ByteString;
  readonly version: number;
  readonly value: Uint8Array | Pages;
}

/** A page below a branch, for the keys from `low` up to the next child's. */
export interface Child {
  readonly low: ByteString;
  readonly id: string;
}

/** Items in columns, which are smaller and many times faster to read and write than objects. */
export interface Leaf {
  readonly keys: readonly ByteString[];
  readonly versions: readonly number[];
  /** Where each value ends within `values`, which contains no bytes of large ones. */
  readonly ends: readonly number[];
  readonly values: Uint8Array;
  /** The large values, by the index of their items. */
  readonly large: ReadonlyMap<number, Pages>;
}

export interface Branch {
  readonly children: readonly Child[];
}

/** A piece of a large value. */
export interface Piece {
  readonly piece: Uint8Array;
}

export type Page = Leaf | Branch | Piece;

const LEAF = 0;
const BRANCH = 1;
const PIECE = 2;

/** The maximum overhead of a key, version and value, in bytes. */
const ITEM_BYTES = 24;

export const isInline = (value: Item['value']): value is Uint8Array => value instanceof Uint8Array;

export function itemBytes({ key, value }: Item): number {
  return key.length + ITEM_BYTES + (isInline(value) ? value.length : 32);
}

export const childBytes = ({ low, id }: Child): number => low.length + id.length + 8;

export function leafOf(items: readonly Item[]): Leaf {
  const ends: number[] = [];
  const large: [number, Pages][] = [];
  let end = 0;
  for (const [index, { value }] of items.entries()) {
    if (isInline(value)) end += value.length;
    else large.push([index, value]);
    ends.push(end);
  }
  const values = Buffer.allocUnsafeSlow(end);
  for (const [index, { value }] of items.entries()) {
    if (isInline(value)) values.set(value, ends[index - 1] ?? 0);
  }
  const versions = items.map(({ version }) => version);
  const keys = detached(items.map(({ key }) => key));
  return { keys, versions, ends, values, large: mapOf(large) };
}

/** Shared by all leaves without large values, which most are. */
const NONE: ReadonlyMap<number, Pages> = new Map();
const mapOf = (large: readonly [number, Pages][]): ReadonlyMap<number, Pages> =>
  large.length === 0 ? NONE : new Map(large);

export const itemsOf = (leaf: Leaf): Item[] => leaf.keys.map((_, index) => itemAt(leaf, index));

export function itemAt({ keys, versions, ends, values, large }: Leaf, index: number): Item {
  return {
    key: keys[index] as ByteString,
    version: versions[index] as number,
    value: large.get(index) ?? values.subarray(ends[index - 1] ?? 0, ends[index]),
  };
}

export function sealPage(id: string, page: Page): string {
  if ('keys' in page) return seal(id, [LEAF, ...packLeaf(page)]);
  if ('children' in page) return seal(id, [BRANCH, ...packChildren(page.children)]);
  return seal(id, [PIECE, page.piece]);
}

export function unsealPage(id: string, text: unknown): Page {
  const [kind, ...fields] = unseal(id, text) as [number, ...unknown[]];
  if (kind === LEAF) return unpackLeaf(fields as PackedLeaf);
  if (kind === BRANCH) return { children: inOrder(id, unpackChildren(fields as PackedChildren)) };
  return { piece: fields[0] as Uint8Array };
}

type PackedLeaf = [
  keys: PackedTexts,
  versions: readonly number[],
  ends: readonly number[],
  values: Uint8Array,
  large: [index: number, ...pages: (string | number)[]][],
];

function packLeaf({ keys, versions, ends, values, large }: Leaf): PackedLeaf {
  const pages = Array.from(large, ([index, value]) => [index, ...packPages([value])]);
  return [packTexts(keys), versions, ends, values, pages as PackedLeaf[4]];
}

function unpackLeaf([keys, versions, ends, values, pages]: PackedLeaf): Leaf {
  const large = pages.map(([index, ...value]): [number, Pages] => [
    index,
    unpackPages(value)[0] as Pages,
  ]);
  return { keys: unpackTexts(keys), versions, ends, values, large: mapOf(large) };
}

/** Throws for children out of order, which could send a walk round in circles. */
function inOrder(id: string, children: Child[]): Child[] {
  const sorted = children.every(({ low }, at) => at === 0 || low > (children[at - 1] as Child).low);
  if (sorted) return children;
  throw damage(id, 'its children are out of order');
}

type PackedChildren = [lows: PackedTexts, ids: string];

function packChildren(children: readonly Child[]): PackedChildren {
  return [packTexts(children.map(({ low }) => low)), packIds(children.map(({ id }) => id))];
}

function unpackChildren([lows, ids]: PackedChildren): Child[] {
  const all = unpackIds(ids);
  return unpackTexts(lows).map((low, index) => ({ low, id: all[index] as string }));
}

/**
 * Sorted texts. All share the common prefix of the first and the last one, which is stored once.
 */
type PackedTexts = [shared: number, joined: Buffer];

function packTexts(texts: readonly ByteString[]): PackedTexts {
  const shared = sharedLength(texts[0] ?? '', texts.at(-1) ?? '');
  const joined = texts.map((text, index) => (index === 0 ? text : text.slice(shared)));
  return [shared, Buffer.from(joined.join(LAST_BYTE), 'latin1')];
}

function unpackTexts([shared, joined]: PackedTexts): ByteString[] {
  const texts = joined.toString('latin1').split(LAST_BYTE);
  const start = (texts[0] as string).slice(0, shared);
  return texts.map((text, index) => (index === 0 ? text : start + text));
}
