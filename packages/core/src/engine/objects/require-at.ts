import { StorageError } from '../../errors.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import type { Store } from '../store.js';
import { type NamedAppend, requireNew } from './repeated-append.js';

/** Where an append adds its data. */
interface AppendPlace extends Pick<NamedAppend, 'admitted' | 'name'> {
  readonly key: string;
  readonly offset: number;
}

/** The object, if it accepts an append at the offset (AppendObject, rules 2 to 4). */
export async function requireAt(
  store: Store,
  { admitted, key, offset, name }: AppendPlace,
): Promise<Stored<ObjectRecord>> {
  // Before anything is read: a caller who may only add objects learns nothing about existing ones.
  admitted.mayModify();
  const entry = await objectRecords.get(store.metadata, { bucketId: admitted.bucket.id, key });
  if (entry === undefined) throw new StorageError('NoSuchKey');
  const { value: object } = entry;
  if (object.type !== 'Appendable') throw new StorageError('ObjectUnappendable');
  requireNew(object, name);
  if (object.size !== offset) {
    const message = `The object has ${object.size} bytes, so the next append needs that offset.`;
    throw new StorageError('OffsetIncorrect', message, { details: { size: object.size } });
  }
  return entry;
}
