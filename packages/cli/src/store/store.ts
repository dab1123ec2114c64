import type { NodeStorageClient } from '@bucketware/client/node';
import type { ObjectStorage } from '@bucketware/storage';

export interface FoundBucket {
  readonly name: string;
  readonly creationDate: Date;
  /** Not known at an endpoint, whose buckets are those of the caller. */
  readonly owner?: string | undefined;
}

/** A storage that was opened here, or one of a server. */
export interface Store {
  /** All operations over the JSON interface. */
  readonly client: NodeStorageClient;
  /** Undefined: it is one of a server. */
  readonly local: ObjectStorage | undefined;
  buckets(signal: AbortSignal): AsyncIterable<FoundBucket>;
  createBucket(bucket: string): Promise<void>;
  close(): Promise<void>;
}
