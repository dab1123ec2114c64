import { RecordKind } from './kind.js';
import { isNumber, isText, shape } from './shape.js';

/** Which process runs the background jobs. */
export interface LeaseRecord {
  readonly holder: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export const leaseRecord = new RecordKind<void, LeaseRecord>({
  name: 'a lease',
  prefix: 's/lease',
  key: () => 's/lease',
  parse: () => undefined,
  fits: shape<LeaseRecord>({ holder: isText, until: isNumber }),
});
