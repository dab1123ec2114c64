import { RecordKind } from './kind.js';
import { listOf } from './shape.js';

type CopiedBlob = readonly [id: string, size: number];

const isCopied = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';

/** Blobs that an unfinished copy has written, with their sizes. */
export const copiedRecords = new RecordKind<string, readonly CopiedBlob[]>({
  name: 'a list of copied blobs',
  prefix: 's/copied/',
  key: (id) => `s/copied/${id}`,
  parse: (key) => key.slice('s/copied/'.length),
  fits: listOf<CopiedBlob>(isCopied),
});
