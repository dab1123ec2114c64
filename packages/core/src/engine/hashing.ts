import type { Checksum, ChecksumAlgorithm } from './records/checksums.js';

/** A checksum that a client wants, and its value if the client has announced it. */
export interface RequestedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Lower-case hexadecimal. */
  readonly value?: string | undefined;
}

export interface Digests {
  /** Hexadecimal. */
  readonly md5: string;
  readonly crc32: number;
  readonly sha256: string | undefined;
  /** The requested checksums, in the requested order. */
  readonly checksums: readonly Checksum[];
}

/**
 * The digests of all data of an object. Those of a longer object can continue from `state` and
 * `crc32`.
 */
export interface WholeDigests {
  readonly md5: string;
  readonly crc32: number;
  readonly state: Uint8Array;
}

/** Which digests of a body are needed. */
export interface Wanted {
  readonly sha256: boolean;
  readonly checksums: readonly RequestedChecksum[] | undefined;
  /** The state from which the digests of a growing object continue. */
  readonly whole: Pick<WholeDigests, 'state' | 'crc32'> | undefined;
}

export interface Hashed {
  readonly digests: Digests;
  readonly whole: WholeDigests | undefined;
}

/** Computes the digests of one body. */
export interface BodyHash {
  /** Returns a promise when there is no room for the data yet: wait for it before the next update. */
  update(bytes: Uint8Array): Promise<void> | undefined;
  /** The digests of all data. */
  done(): Promise<Hashed>;
  /** Call it when the digests are no longer needed. */
  drop(): void;
}

/** Hashes large bodies in other threads. */
export interface BodyHasher {
  /**
   * Whether to call `begin` for a body of the announced `length` that begins with the chunk
   * `first`.
   */
  isWorthwhile(length: number | undefined, first: Uint8Array): boolean;
  /** Resolves to `undefined` when the body is better hashed on the main thread. */
  begin(wanted: Wanted, length: number | undefined): Promise<BodyHash | undefined>;
  /** Fails the bodies that are still being hashed. */
  close(): Promise<void>;
}
