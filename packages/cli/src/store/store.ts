import type { NodeStorageClient } from '@bucketware/client/node';
import type { ObjectStorage } from '@bucketware/storage';
import type { IsOwn } from '../files/own-files.js';

export interface FoundBucket {
  readonly name: string;
  readonly creationDate: Date;
  /** Not known for an endpoint, which lists only the caller's buckets. */
  readonly owner?: string | undefined;
}

/** A storage that was opened in this process, or one on a server. */
export interface Store {
  /** All operations over the JSON interface. */
  readonly client: NodeStorageClient;
  /** `undefined` if the storage is on a server. */
  readonly local: ObjectStorage | undefined;
  readonly isOwn: IsOwn;
  buckets(signal: AbortSignal): AsyncIterable<FoundBucket>;
  createBucket(bucket: string): Promise<void>;
  close(): Promise<void>;
}
