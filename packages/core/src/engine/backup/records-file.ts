import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Entry } from '../../contracts/metadata-store.js';
import { decodeValue, encodeValue } from '../../contracts/values.js';

/*
 * The records of a backup are a sequence of blocks. A block has the length of its content (4
 * bytes), the CRC-32 of its content (4) and the content: a page of records or of blobs in
 * MessagePack. The last block is empty.
 */
const HEAD = 8;

export type Block =
  | { readonly records: readonly (readonly [key: string, value: unknown])[] }
  | { readonly blobs: readonly BlobEntry[] };

export type BlobEntry = readonly [id: string, size: number];

/** Returns how many bytes were written. */
export async function writeBlock(file: FileHandle, block: Block | undefined): Promise<number> {
  const content = block === undefined ? Buffer.alloc(0) : encodeValue(block);
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(content.length, 0);
  head.writeUInt32BE(crc32(content), 4);
  await file.appendFile(Buffer.concat([head, content]));
  return HEAD + content.length;
}

export const recordsBlock = (entries: readonly Entry[]): Block => ({
  records: entries.map(({ key, value }) => [key, value]),
});

/** The position and length of a block, in bytes. */
export interface Place {
  readonly start: number;
  readonly length: number;
}

/** Throws if the block differs from what was written. */
export async function readBlock(file: FileHandle, { start, length }: Place): Promise<Block> {
  const content = await readAt(file, start, length);
  const head = await readAt(file, start - HEAD, HEAD);
  if (crc32(content) !== head.readUInt32BE(4)) throw new Error('Its checksum does not match.');
  return decodeValue(content) as Block;
}

/** The places of all blocks. Throws if the file is incomplete. */
export async function* placesIn(file: FileHandle): AsyncGenerator<Place> {
  for (let at = 0; ; ) {
    const head = await readAt(file, at, HEAD);
    const length = head.readUInt32BE(0);
    if (length === 0) return;
    yield { start: at + HEAD, length };
    at += HEAD + length;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('It ends too early.');
    done += bytesRead;
  }
  return bytes;
}
