import type { Caller, HttpServer } from '../http/server.js';
import type { DialectClient } from './client.js';
import type { Capability, Traits } from './traits.js';

/** What a case works with. Buckets with names from here are deleted after the case. */
export interface CaseContext {
  readonly server: HttpServer;
  readonly traits: Traits;
  readonly alice: DialectClient;
  readonly bob: DialectClient;
  readonly anonymous: DialectClient;
  as(caller: Caller): DialectClient;
  /** An unused name for a bucket. */
  newName(): string;
  /** Creates a bucket, owned by alice by default, and resolves to its name. */
  newBucket(owner?: DialectClient): Promise<string>;
  /** Stores an empty object under each key, several at a time. */
  fill(bucket: string, keys: readonly string[]): Promise<void>;
}

/** A statement about the interface, with its proof. */
export interface Case {
  readonly id: string;
  readonly name: string;
  readonly needs?: readonly Capability[] | undefined;
  prove(context: CaseContext): Promise<void>;
}
