import type { NodeStorageClient } from '@bucketware/client/node';
import type { RemotePlace } from '../location.js';
import type { Entry } from './entry.js';

/** The objects with a prefix. */
export async function* objectsBelow(
  client: NodeStorageClient,
  { bucket, key: prefix }: RemotePlace,
  signal: AbortSignal,
): AsyncGenerator<Entry, void> {
  for await (const object of client.objects({ bucket, prefix, signal })) {
    yield objectEntry(object.key.slice(prefix.length), object);
  }
}

interface KnownObject {
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
}

export const objectEntry = (path: string, { size, etag, lastModified }: KnownObject): Entry => ({
  ...{ path, size, etag },
  modified: lastModified.getTime(),
});
