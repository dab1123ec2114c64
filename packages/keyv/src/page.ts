import type { ByteString } from './keys.js';
import { type Pages, packPages, unpackPages } from './page-ids.js';
import { seal, unseal } from './seal.js';

/** One record. A value too large for a leaf stands in pages of its own. */
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

export interface Leaf {
  readonly items: readonly Item[];
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

/** What a key, version and value need besides their own bytes, at most. */
const ITEM_BYTES = 24;

export const isInline = (value: Item['value']): value is Uint8Array => value instanceof Uint8Array;

export function itemBytes({ key, value }: Item): number {
  return key.length + ITEM_BYTES + (isInline(value) ? value.length : 32);
}

export const childBytes = ({ low, id }: Child): number => low.length + id.length + 8;

/** What a page costs in memory, beside its own bytes, for each record or child. */
const ITEM_MEMORY = 240;

export function memoryOf(page: Page, bytes: number): number {
  const entries = 'items' in page ? page.items : 'children' in page ? page.children : [];
  return bytes + ITEM_MEMORY * (entries.length + 1);
}

export function sealPage(id: string, page: Page): string {
  if ('items' in page) return seal(id, [LEAF, ...packItems(page.items)]);
  if ('children' in page) return seal(id, [BRANCH, ...packChildren(page.children)]);
  return seal(id, [PIECE, page.piece]);
}

export function unsealPage(id: string, text: unknown): Page {
  const [kind, ...fields] = unseal(id, text) as [number, ...unknown[]];
  if (kind === LEAF) return { items: unpackItems(fields as PackedItems) };
  if (kind === BRANCH) return { children: unpackChildren(fields as PackedChildren) };
  return { piece: fields[0] as Uint8Array };
}

/** Column by column: many times faster than entry by entry. */
type PackedItems = [
  keys: Buffer,
  versions: number[],
  /** -1: the value is large, and its pages stand in the last column. */
  lengths: number[],
  values: Buffer,
  large: (string | number)[],
];

function packItems(items: readonly Item[]): PackedItems {
  const inline = items.flatMap(({ value }) => (isInline(value) ? [value] : []));
  const large = items.flatMap(({ value }) => (isInline(value) ? [] : [value]));
  return [
    joinTexts(items.map(({ key }) => key)),
    items.map(({ version }) => version),
    items.map(({ value }) => (isInline(value) ? value.length : -1)),
    Buffer.concat(inline),
    packPages(large),
  ];
}

function unpackItems([keys, versions, lengths, values, large]: PackedItems): Item[] {
  const pages = unpackPages(large).values();
  let at = 0;
  return splitTexts(keys).map((key, index) => {
    const version = versions[index] as number;
    const length = lengths[index] as number;
    if (length < 0) return { key, version, value: pages.next().value as Pages };
    at += length;
    return { key, version, value: values.subarray(at - length, at) };
  });
}

type PackedChildren = [lows: Buffer, ids: Buffer];

function packChildren(children: readonly Child[]): PackedChildren {
  return [joinTexts(children.map(({ low }) => low)), joinTexts(children.map(({ id }) => id))];
}

function unpackChildren([lows, ids]: PackedChildren): Child[] {
  const all = splitTexts(ids);
  return splitTexts(lows).map((low, index) => ({ low, id: all[index] as string }));
}

/** UTF-8 has no such byte. */
const BETWEEN = '\xff';

const joinTexts = (texts: readonly ByteString[]): Buffer =>
  Buffer.from(texts.join(BETWEEN), 'latin1');

const splitTexts = (joined: Buffer): ByteString[] => joined.toString('latin1').split(BETWEEN);
