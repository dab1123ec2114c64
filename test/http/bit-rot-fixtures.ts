import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BlobStore,
  createObjectStorage,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { objectKeyOf } from './record-keys.js';

export const bucket = 'rotting';

export interface Named {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
}

interface ContentRecord {
  readonly content: {
    readonly inline?: string;
    readonly manifest?: string;
    readonly segments?: readonly Named[];
  };
}

/** A storage whose data the test can change directly. */
export interface DamageableStorage {
  storage: ObjectStorage;
  readonly metadata: ReturnType<typeof memoryMetadata>;
  /** The errors that `onError` received. */
  readonly reported: unknown[];
  reopen(): Promise<void>;
  /** The segments of an object, or of the given record. An inline record counts as one. */
  segmentsOf(key: string, record?: string): Promise<readonly Named[]>;
  pathOf(blob: string): string;
  /** Flips one bit in the file or in the record with the data. */
  flip(segment: Named, at?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openDamageable(
  wrap: (blobs: BlobStore) => BlobStore = (blobs) => blobs,
): Promise<DamageableStorage> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-rot-'));
  const blobs = wrap(await filesystemBlobs({ directory, durability: 'relaxed' }));
  const metadata = memoryMetadata();
  const reported: unknown[] = [];
  const start = () =>
    createObjectStorage({
      blobs,
      metadata,
      inlineLimit: 1024,
      sweepEvery: false,
      onError: (error) => void reported.push(error),
    });
  const pathOf = (blob: string) => join(directory, blob.slice(0, 2), blob);
  const place: DamageableStorage = {
    storage: await start(),
    metadata,
    reported,
    async reopen() {
      place.storage = await start();
    },
    async segmentsOf(key, record) {
      const name = record ?? (await objectKeyOf(metadata, bucket, key));
      const { value } = (await metadata.get(name)) ?? {};
      const { content } = value as unknown as ContentRecord;
      const { inline, manifest, segments = [] } = content;
      if (inline !== undefined) return [{ blob: inline, offset: 0, length: 0 }];
      if (manifest === undefined) return segments;
      const packed = Buffer.from((await metadata.get(`m/${manifest}`))?.value as Uint8Array);
      return [...unpacked(packed), ...segments];
    },
    pathOf,
    async flip({ blob, offset, length }, at = Math.floor(Math.random() * length)) {
      const record = await metadata.get(`i/${blob}`);
      if (record !== undefined) {
        const bytes = Buffer.from(record.value as Uint8Array);
        const where = Math.floor(Math.random() * bytes.length);
        bytes[where] = (bytes[where] as number) ^ 1;
        await metadata.commit({ put: [{ key: record.key, value: bytes }] });
        return;
      }
      const file = await open(pathOf(blob), 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, offset + at);
      byte[0] = (byte[0] as number) ^ (1 << Math.floor(Math.random() * 8));
      await file.write(byte, 0, 1, offset + at);
      await file.close();
    },
    async close() {
      await place.storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await place.storage.putBucket({ bucket });
  return place;
}

/** The layout of docs/architecture.md: 32 bytes each. */
function* unpacked(packed: Buffer): Generator<Named> {
  for (let at = 0, start = 0; at < packed.length; at += 32) {
    const end = packed.readUIntBE(at + 22, 6);
    const offset = packed.readUIntBE(at + 16, 6);
    yield { blob: packed.toString('hex', at, at + 16), offset, length: end - start };
    start = end;
  }
}
