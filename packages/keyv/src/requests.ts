import { type Change, encodeValue } from '@bucketware/core/contracts';
import type { Edit } from './edits.js';
import { type ByteString, encodeKey } from './keys.js';
import type { Item } from './page.js';
import type { PageCache } from './page-cache.js';
import type { Tree } from './root.js';
import { findItem } from './tree-reader.js';

/** A change whose keys and values are encoded for the tree. */
export interface Request {
  readonly expect: readonly { readonly key: ByteString; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: ByteString; readonly value: Uint8Array }[];
  readonly delete: readonly ByteString[];
  readonly bytes: number;
}

/** Throws for an invalid change, before it waits for its turn. */
export function toRequest({ expect = [], put = [], delete: removed = [] }: Change): Request {
  const encoded = put.map(({ key, value }) => ({
    key: encodeKey(key),
    value: encodeValue(value),
  }));
  return {
    expect: expect.map(({ key, version }) => ({ key: encodeKey(key), version })),
    put: encoded,
    delete: removed.map(encodeKey),
    bytes: encoded.reduce((sum, { key, value }) => sum + key.length + value.length, 0),
  };
}

/** The effect of a group of requests on a tree. */
export interface Outcome {
  /** The version of each request, or `undefined` if one of its expectations does not hold. */
  readonly versions: (string | undefined)[];
  /** Their combined edits, in key order. */
  readonly edits: Edit[];
  /** The last used version. */
  readonly sequence: number;
}

/** Checks the expectations of each request against the tree and the requests before it. */
export async function decide(
  pages: PageCache,
  tree: Tree | undefined,
  requests: readonly Request[],
  lastVersion: number,
): Promise<Outcome> {
  const expected = new Set(requests.flatMap(({ expect }) => expect.map(({ key }) => key)));
  const found = await Promise.all(Array.from(expected, (key) => findItem(pages, tree, key)));
  const items = new Map<ByteString, Item | undefined>();
  for (const [index, key] of [...expected].entries()) items.set(key, found[index]);
  const edited = new Map<ByteString, Item | undefined>();
  const edit = (key: ByteString, item: Item | undefined): void => {
    items.set(key, item);
    edited.set(key, item);
  };
  let sequence = lastVersion;
  const versions = requests.map(({ expect, put, delete: removed }) => {
    if (!expect.every(({ key, version }) => versionOf(items.get(key)) === version))
      return undefined;
    for (const key of removed) edit(key, undefined);
    if (put.length > 0) sequence++;
    for (const { key, value } of put) edit(key, { key, version: sequence, value });
    return String(sequence);
  });
  const edits = Array.from(edited, ([key, item]) => ({ key, item }));
  return { versions, edits: edits.sort((a, b) => (a.key < b.key ? -1 : 1)), sequence };
}

const versionOf = (item: Item | undefined): string | undefined => item && String(item.version);
