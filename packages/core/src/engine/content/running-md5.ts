import { Readable } from 'node:stream';
import { asStorageError } from '../../errors.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import type { ContentName } from './damage.js';
import { openContent } from './reading.js';
import { RunningDigests } from './whole-digests.js';

/**
 * Digests that continue after an object's data. The data is read again only if the saved state
 * cannot be used.
 */
export async function resume(
  store: Store,
  name: ContentName,
  object: ObjectRecord,
): Promise<RunningDigests> {
  if (object.append !== undefined && object.crc32 !== undefined) {
    try {
      return await RunningDigests.start({ state: object.append.md5, crc32: object.crc32 });
    } catch {
      // The state was saved by another version of the library, so the data must be hashed again.
    }
  }
  const digests = await RunningDigests.start();
  try {
    const content = await openContent(store, name, object, { start: 0, end: object.size });
    if (!(content instanceof Readable)) digests.update(content);
    else for await (const chunk of content) digests.update(chunk as Uint8Array);
  } catch (error) {
    throw asStorageError(error); // Damaged data must not get new digests that match it.
  }
  return digests;
}
