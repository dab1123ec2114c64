import type { Caller, HttpServer } from '../http/server.js';
import type { DialectClient } from './client.js';
import type { Capability, Traits } from './traits.js';

/** What a case works with. Buckets whose names it took here are gone when it is over. */
export interface CaseContext {
  readonly server: HttpServer;
  readonly traits: Traits;
  readonly alice: DialectClient;
  readonly bob: DialectClient;
  readonly anonymous: DialectClient;
  as(caller: Caller): DialectClient;
  /** A bucket's name that nobody has. */
  newName(): string;
  /** A new bucket, of alice unless another owner is named. */
  newBucket(owner?: DialectClient): Promise<string>;
  /** Stores an empty object under each key, many at a time. */
  fill(bucket: string, keys: readonly string[]): Promise<void>;
}

/** One sentence of the interface, with its proof. */
export interface Case {
  readonly id: string;
  readonly name: string;
  readonly needs?: readonly Capability[] | undefined;
  prove(context: CaseContext): Promise<void>;
}
