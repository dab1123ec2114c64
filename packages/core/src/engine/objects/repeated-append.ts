import { type ObjectRecord, objectRecords } from '../records/objects.js';
import type { Store } from '../store.js';
import type { Append } from './append.js';

/**
 * The object, if its last append is this one. Browsers repeat a request by themselves when a reused
 * connection closes without a response, although the append may have taken effect.
 */
export async function repeatedAppend(
  store: Store,
  { admitted, key, offset, id }: Append,
): Promise<ObjectRecord | undefined> {
  if (id === undefined) return undefined;
  const found = await objectRecords.get(store.metadata, { bucketId: admitted.bucket.id, key });
  await admitted.confirm();
  const last = found?.value.append?.last;
  return last?.id === id && last.offset === offset ? found?.value : undefined;
}
