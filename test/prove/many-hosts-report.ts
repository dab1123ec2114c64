import { FAULTS } from '../outages/mixed-load.js';
import type { Results } from './results.js';
import { number, table } from './tables.js';

/** The section of docs/reliability.md about several hosts. */
export function manyHosts({ manyHosts: row }: Results): string | undefined {
  if (row === undefined) return undefined;
  const { faults, calls, unanswered, broken, missing, orphans, damaged } = row;
  return `## Several hosts on PostgreSQL and an object store

Three processes, whose clocks are an hour apart, share records in PostgreSQL and bytes in a Ceph gateway. Clients write, append, copy, rename
and delete the same objects through all of them. Meanwhile a host, the database or the gateway is killed and started again, connections are cut, or
nothing passes for a while. Then one order of calls must explain what clients saw of each object, no blob may be missing, and after a
sweep none may be left over.

${table(
  [
    'faults',
    'calls',
    'without an answer',
    'broken promises',
    'missing',
    'orphans',
    'damaged objects',
  ],
  [[number(faults), number(calls), number(unanswered), broken, missing, orphans, damaged]],
)}

The faults: ${Object.keys(FAULTS).join('; ')}.`;
}
