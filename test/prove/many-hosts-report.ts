import { FAULTS } from '../outages/mixed-load.js';
import type { Results } from './results.js';
import { number, table } from './tables.js';

/** The section of docs/reliability.md about several hosts. */
export function manyHosts({ manyHosts: row }: Results): string | undefined {
  if (row === undefined) return undefined;
  const { faults, calls, unanswered, broken, missing, orphans, damaged } = row;
  return `## Several hosts on PostgreSQL and an object store

Three processes, whose clocks are an hour apart, share metadata in PostgreSQL and blobs in a Ceph gateway. Clients write, append to, copy,
rename and delete the same objects through all of them. Meanwhile, a host, the database or the gateway is killed and restarted,
connections are cut, or nothing gets through for a while. Afterwards, one order of calls must explain what clients saw of each object, no
blob may be missing, and after a sweep none may be left over.

${table(
  ['faults', 'calls', 'no response', 'broken promises', 'missing', 'orphans', 'damaged objects'],
  [[number(faults), number(calls), number(unanswered), broken, missing, orphans, damaged]],
)}

The faults: ${Object.keys(FAULTS).join('; ')}.`;
}
