import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createCRC32, createCRC64 } from 'hash-wasm';
import type { RequestedChecksum } from '../hashing.js';
import type { Checksum, ChecksumAlgorithm } from '../records/checksums.js';
import { SavedHashes } from './saved-hash.js';

/** Computes a checksum of data as it passes. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** Lower-case hexadecimal. */
  done(): string;
}

/** Polynomials with reversed bits. */
const CASTAGNOLI = 0x82f63b78;
const NVME = '9a6c9329ac4bc9b5';

const IN_WASM = {
  crc32c: new SavedHashes(() => createCRC32(CASTAGNOLI)),
  crc64: new SavedHashes(() => createCRC64()),
  crc64nvme: new SavedHashes(() => createCRC64(NVME)),
} as const;

export async function startChecksum(algorithm: ChecksumAlgorithm): Promise<RunningChecksum> {
  if (algorithm === 'crc32') {
    let sum = 0;
    const update = (bytes: Uint8Array) => {
      sum = crc32(bytes, sum);
    };
    return { update, done: () => crc32Text(sum) };
  }
  if (algorithm === 'sha1' || algorithm === 'sha256') {
    const hash = createHash(algorithm);
    return { update: (bytes) => hash.update(bytes), done: () => hash.digest('hex') };
  }
  const hash = await IN_WASM[algorithm].begin();
  return { update: (bytes) => hash.update(bytes), done: () => hash.hex() };
}

/** A CRC-32 as the value of a checksum. */
export const crc32Text = (sum: number): string => sum.toString(16).padStart(8, '0');

type Started = readonly (readonly [ChecksumAlgorithm, RunningChecksum | undefined])[];

/**
 * Computes the checksums that a client requests. CRC-32 is not among them: it is computed for all
 * data anyway.
 */
export class RunningChecksums {
  readonly #running: Started;

  static async start(requested: readonly RequestedChecksum[]): Promise<RunningChecksums> {
    const started: [ChecksumAlgorithm, RunningChecksum | undefined][] = [];
    for (const { algorithm } of requested) {
      const isKnown = algorithm === 'crc32';
      started.push([algorithm, isKnown ? undefined : await startChecksum(algorithm)]);
    }
    return new RunningChecksums(started);
  }

  private constructor(running: Started) {
    this.#running = running;
  }

  update(bytes: Uint8Array): void {
    for (const [, running] of this.#running) running?.update(bytes);
  }

  done(sum: number): readonly Checksum[] {
    return this.#running.map(([algorithm, running]) => ({
      algorithm,
      value: running?.done() ?? crc32Text(sum),
    }));
  }
}
