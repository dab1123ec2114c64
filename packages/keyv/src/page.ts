import { type ByteString, decodeKey, encodeKey } from './keys.js';
import type { Pages } from './page-ids.js';
import { unseal, seal } from './seal.js';

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
  const fields: unknown[] = [];
  if ('items' in page) {
    fields.push(LEAF);
    for (const { key, version, value } of page.items) {
      fields.push(decodeKey(key), version, isInline(value) ? value : fromPages(value));
    }
  } else if ('children' in page) {
    fields.push(BRANCH);
    // A separator may end within a character, so it goes as bytes.
    for (const { low, id: child } of page.children) fields.push(Buffer.from(low, 'latin1'), child);
  } else {
    fields.push(PIECE, page.piece);
  }
  return seal(id, fields);
}

export function unsealPage(id: string, text: unknown): Page {
  const [kind, ...fields] = unseal(id, text) as [number, ...unknown[]];
  if (kind === LEAF) return { items: unpackItems(fields) };
  if (kind === BRANCH) return { children: unpackChildren(fields) };
  return { piece: fields[0] as Uint8Array };
}

function unpackItems(fields: readonly unknown[]): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < fields.length; at += 3) {
    const key = encodeKey(fields[at] as string);
    const version = fields[at + 1] as number;
    const value = fields[at + 2];
    items.push({ key, version, value: Array.isArray(value) ? toPages(value) : (value as Buffer) });
  }
  return items;
}

const fromPages = ({ token, first, count }: Pages): unknown[] => [token, first, count];

function toPages([token, first, count]: unknown[]): Pages {
  return { token: token as string, first: first as number, count: count as number };
}

function unpackChildren(fields: readonly unknown[]): Child[] {
  const children: Child[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const low = (fields[at] as Buffer).toString('latin1');
    children.push({ low, id: fields[at + 1] as string });
  }
  return children;
}
