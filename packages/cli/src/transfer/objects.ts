import type { NodeStorageClient } from '@bucketware/client/node';
import type { RemotePlace } from '../location.js';
import type { Entry } from './entry.js';

/** The objects with a prefix. */
export async function* objectsBelow(
  client: NodeStorageClient,
  { bucket, key: prefix }: RemotePlace,
  signal: AbortSignal,
): AsyncGenerator<Entry, void> {
  for await (const { key, size, etag, lastModified } of client.objects({
    bucket,
    prefix,
    signal,
  })) {
    yield { path: key.slice(prefix.length), size, etag, modified: lastModified.getTime() };
  }
}
