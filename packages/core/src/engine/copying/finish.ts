import type { MetadataStore } from '../../contracts/metadata-store.js';
import { encodeValue } from '../../contracts/values.js';
import { storeRecord } from '../records/store-identity.js';
import { entriesOf } from './copied-records.js';
import type { CopyOptions } from './copy-options.js';

type Records = Pick<MetadataStore, 'list'>;

/**
 * Resolves to whether the target is a complete copy of the source that no app has opened yet: only
 * the last step of an earlier call failed, or the opening that verifies the copy. That step is then
 * repeated.
 */
export async function finishCopy(id: string, options: CopyOptions): Promise<boolean> {
  const { from, to } = options;
  const store = (await storeRecord.get(to.metadata))?.value;
  if (store?.id !== id || store.claimed || store.mark === undefined) return false;
  const owner = await to.blobs.identity();
  if (owner !== id && owner !== store.mark) return false;
  // The source may have changed since. Blobs with the same records are the same.
  if (!(await areEqual(from.metadata, to.metadata, options.signal))) return false;
  if (owner !== id) await to.blobs.identify(id);
  return true;
}

async function areEqual(one: Records, other: Records, signal?: AbortSignal): Promise<boolean> {
  const others = entriesOf(other);
  for await (const { key, value } of entriesOf(one)) {
    signal?.throwIfAborted();
    const { value: entry } = await others.next();
    if (entry?.key !== key) return false;
    if (!encodeValue(entry.value).equals(encodeValue(value))) return false;
  }
  return (await others.next()).done === true;
}
