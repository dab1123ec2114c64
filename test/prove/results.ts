import type { FaultRow } from './faults.js';
import type { FullRow } from './full.js';
import type { ImageRow } from './images.js';
import type { KeyvRow } from './keyv.js';
import type { KillRow } from './kills.js';
import type { LiesRow } from './lies.js';
import type { describeMachine } from './machine.js';
import type { ManyHostsRow } from './many-hosts.js';
import type { RecordsRow } from './records.js';
import type { SimulatedRow, WrongRow } from './simulated.js';

/** The figures of one run. */
export interface Results {
  readonly machine: Awaited<ReturnType<typeof describeMachine>>;
  simulated?: SimulatedRow;
  wrong?: WrongRow[];
  readonly images: ImageRow[];
  readonly kills: KillRow[];
  readonly keyv: KeyvRow[];
  readonly faults: FaultRow[];
  readonly records: RecordsRow[];
  readonly lies: LiesRow[];
  readonly full: FullRow[];
  manyHosts?: ManyHostsRow;
  readonly skipped: string[];
  seconds: number;
}
