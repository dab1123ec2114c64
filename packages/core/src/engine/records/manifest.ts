import type { Segment } from './content.js';
import { isBytes } from './shape.js';

/*
 * A manifest packs segments so that a range finds its place without reading them all: 32 bytes
 * each, of blob id (16), offset in the blob (6), where in the object the segment ends (6) and the
 * CRC-32 of its bytes (4).
 */
const WIDTH = 32;
const AT_OFFSET = 16;
const AT_END = 22;
const AT_CRC = 28;

/** Packs segments in order. */
class Packer {
  count = 0;
  /** The total size of all segments in bytes. */
  size = 0;
  #packed: Buffer<ArrayBufferLike> = Buffer.alloc(64 * WIDTH);

  add({ blob, offset, length, crc32 }: Segment): void {
    const at = this.count * WIDTH;
    if (at === this.#packed.length) this.#packed = Buffer.concat([this.#packed], 2 * at);
    this.count++;
    this.size += length;
    this.#packed.write(blob, at, 'hex');
    this.#packed.writeUIntBE(offset, at + AT_OFFSET, 6);
    this.#packed.writeUIntBE(this.size, at + AT_END, 6);
    this.#packed.writeUInt32BE(crc32, at + AT_CRC);
  }

  done(): Uint8Array {
    return this.#packed.subarray(0, this.count * WIDTH);
  }
}

export function pack(segments: Iterable<Segment>): Uint8Array {
  const packer = new Packer();
  for (const segment of segments) packer.add(segment);
  return packer.done();
}

/** The segments from the one that contains byte `start` on; `skipped` bytes are before them. */
export function* unpack(manifest: Uint8Array, start = 0): Generator<Segment & { skipped: number }> {
  const packed = Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength);
  const endOf = (index: number) => packed.readUIntBE(index * WIDTH + AT_END, 6);
  const count = countOf(manifest);
  for (let index = firstEndingAfter(start, count, endOf); index < count; index++) {
    const at = index * WIDTH;
    const skipped = index === 0 ? 0 : endOf(index - 1);
    yield {
      blob: packed.toString('hex', at, at + AT_OFFSET),
      offset: packed.readUIntBE(at + AT_OFFSET, 6),
      length: endOf(index) - skipped,
      crc32: packed.readUInt32BE(at + AT_CRC),
      skipped,
    };
  }
}

export const isManifest = (value: unknown): value is Uint8Array =>
  isBytes(value) && value.length % WIDTH === 0;

export const countOf = (manifest: Uint8Array): number => manifest.length / WIDTH;

/** The total size of all segments of a manifest in bytes. */
export const lengthOf = (manifest: Uint8Array): number =>
  manifest.length === 0
    ? 0
    : Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength).readUIntBE(
        manifest.length - WIDTH + AT_END,
        6,
      );

function firstEndingAfter(start: number, count: number, endOf: (index: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(middle) > start) high = middle;
    else low = middle + 1;
  }
  return low;
}
