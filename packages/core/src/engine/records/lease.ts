import { singleRecord } from './kind.js';
import { isNumber, isText, shape } from './shape.js';

/** Which process runs the background jobs. */
export interface LeaseRecord {
  readonly holder: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export const leaseRecord = singleRecord<LeaseRecord>('s/lease', {
  name: 'a lease',
  fits: shape<LeaseRecord>({ holder: isText, until: isNumber }),
});
