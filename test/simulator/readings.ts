import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Entry, ObjectStorage } from '@bucketware/core';
import type { Disk } from './disk.js';
import { numberOf } from './fingerprint.js';
import type { Place } from './names.js';
import { ROOT } from './protocol.js';
import type { SimulatedRecords } from './simulated-records.js';
import type { Contents } from './world.js';

interface Content {
  readonly inline?: string;
  readonly manifest?: string;
  readonly segments?: readonly { readonly blob: string }[];
}

/** The storage and the state behind it. */
export interface Reader {
  readonly storage: ObjectStorage;
  readonly records: SimulatedRecords;
  readonly disk: Disk;
}

/**
 * Remembers what reading an object resulted in, by everything that the result depends on: the
 * record, the inline record and the bytes of the named blobs. Most crashes change none of these.
 * The object is then read again only in some of the states, and the result must be the same.
 */
export class Readings {
  readonly #known = new WeakMap<Entry, Map<string, string>>();
  readonly #contents: Contents;

  constructor(contents: Contents) {
    this.#contents = contents;
  }

  /** The type and the bytes. `again`: read even if the result is known. */
  async read(shelf: Reader, at: Place, again: boolean): Promise<string> {
    const entry = shelf.records.find(recordOf(shelf, at));
    const basis = entry && basisOf(entry, shelf);
    if (entry === undefined || basis === undefined) return this.#read(shelf, at);
    let known = this.#known.get(entry);
    if (known === undefined) {
      known = new Map();
      this.#known.set(entry, known);
    }
    const before = known.get(basis);
    if (before !== undefined && !again) return before;
    const now = await this.#read(shelf, at);
    if (before !== undefined && before !== now) {
      throw new Error(
        `${at.bucket}/${at.key} was ${before}, but with the same bytes it is now ${now}.`,
      );
    }
    known.set(basis, now);
    return now;
  }

  async #read({ storage }: Reader, at: Place): Promise<string> {
    const object = await storage.getObject(at);
    const type = object.type[0] as string;
    const bytes = await object.bytes();
    return `${type}${this.#contents.describe(bytes)}${await faultOfParts(storage, at, bytes)}`;
  }
}

/** What is wrong with the stored parts of an object and their checksums. */
async function faultOfParts(storage: ObjectStorage, at: Place, bytes: Buffer): Promise<string> {
  const { object, parts } = await storage.getObjectAttributes(at);
  if (parts === undefined) return '';
  const sums: string[] = [];
  for (const { start, end, checksum } of parts.parts) {
    sums.push(sumOf(checksum.algorithm, bytes.subarray(start, end)));
    if (sums.at(-1) !== checksum.value) return ' with a wrong part';
  }
  const { algorithm, type, value } = object.checksum ?? {};
  const whole =
    type === 'composite'
      ? `${sumOf(algorithm, Buffer.from(sums.join(''), 'hex'))}-${sums.length}`
      : sumOf(algorithm, bytes);
  const isAll = parts.count === sums.length && parts.parts.at(-1)?.end === bytes.length;
  return isAll && whole === value ? '' : ' with other parts';
}

const sumOf = (algorithm: string | undefined, bytes: Buffer): string =>
  algorithm === 'sha1'
    ? createHash('sha1').update(bytes).digest('hex')
    : crc32(bytes).toString(16).padStart(8, '0');

/**
 * The ids of the blobs that a manifest names. Each segment takes 32 bytes and begins with an id.
 */
export function blobsOf(manifest: Uint8Array): string[] {
  const packed = Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength);
  return Array.from({ length: packed.length / 32 }, (_, index) =>
    packed.toString('hex', index * 32, index * 32 + 16),
  );
}

/** `undefined` if something is missing. */
function basisOf({ value }: Entry, { records, disk }: Reader): string | undefined {
  const { inline, manifest, segments = [] } = (value as { content: Content }).content;
  if (inline !== undefined) {
    const bytes = records.find(`i/${inline}`)?.value;
    return bytes instanceof Uint8Array ? `inline ${numberOf(bytes)}` : undefined;
  }
  const blobs = segments.map(({ blob }) => blob);
  let basis = '';
  if (manifest !== undefined) {
    const packed = records.find(`m/${manifest}`)?.value;
    if (!(packed instanceof Uint8Array)) return undefined;
    blobs.push(...blobsOf(packed));
    basis = `manifest ${numberOf(packed)} `;
  }
  for (const blob of blobs) {
    const id = disk.find(`${ROOT}/${blob.slice(0, 2)}/${blob}`);
    if (id === undefined) return undefined;
    basis += `${numberOf(disk.inode(id).data)} `;
  }
  return basis;
}

/** The record of an object has the id of its bucket in its key. */
function recordOf({ records }: Reader, { bucket, key }: Place): string {
  const record = records.find(`b/${bucket}`)?.value as { id?: string } | undefined;
  return `o/${record?.id ?? bucket}/${key}`;
}
