import { FAULTS } from '../outages/mixed-load.js';
import type { Results } from './results.js';
import { number, table } from './tables.js';

/** The section of docs/reliability.md about several app servers. */
export function manyHosts({ manyHosts: row }: Results): string | undefined {
  if (row === undefined) return undefined;
  const { faults, calls, unanswered, broken, missing, orphans, damaged } = row;
  return `## Several processes on PostgreSQL and an object store

Three processes share metadata in PostgreSQL and blobs in a Ceph gateway. Their clocks are an hour apart. Clients write,
append to, copy, rename and delete the same objects through all three. Meanwhile, the test causes faults. Afterwards,
one order of calls must explain what clients saw of each object, and no blob may be missing. After a sweep, no unneeded
blob may be left.

${table(
  [
    'faults',
    'calls',
    'no response',
    'broken promises',
    'blobs missing',
    'orphans',
    'damaged objects',
  ],
  [[number(faults), number(calls), number(unanswered), broken, missing, orphans, damaged]],
)}

The faults are of these kinds: ${Object.keys(FAULTS).join('; ')}.`;
}
