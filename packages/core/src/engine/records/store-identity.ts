import { RecordKind } from './kind.js';
import { isBoolean, isNumber, isText, shape } from './shape.js';

/** Which storage the records belong to. */
export interface StoreRecord {
  readonly id: string;
  readonly layout: number;
  /** The blobs carry the same id. */
  readonly claimed: boolean;
}

export const storeRecord = new RecordKind<void, StoreRecord>({
  name: 'the identity of a storage',
  prefix: 's/store',
  key: () => 's/store',
  parse: () => undefined,
  fits: shape<StoreRecord>({ id: isText, layout: isNumber, claimed: isBoolean }),
});
