import type { Missing } from '../keyv/servers.js';
import { cephLoad } from '../outages/ceph-load.js';
import { FAULTS } from '../outages/mixed-load.js';

export interface ManyHostsRow {
  readonly faults: number;
  readonly calls: number;
  readonly unanswered: number;
  /** Objects whose history no order explains, and responses that no history allows. */
  readonly broken: number;
  readonly missing: number;
  readonly orphans: number;
  readonly damaged: number;
  readonly examples: readonly string[];
}

const ROUNDS = 6;

export async function proveManyHosts(scale: number): Promise<ManyHostsRow | Missing> {
  const rounds = Math.max(1, Math.round(ROUNDS * scale));
  const outcome = await cephLoad(rounds);
  if (typeof outcome === 'string') return outcome;
  const { calls, unanswered, unexpected, contradictions, missing, orphans, damaged } = outcome;
  return {
    ...{ faults: rounds * Object.keys(FAULTS).length, calls, unanswered },
    broken: unexpected.length + contradictions.length,
    ...{ missing: missing.length, orphans: orphans.length, damaged },
    examples: [...unexpected, ...contradictions].slice(0, 5),
  };
}
