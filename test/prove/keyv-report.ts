import type { KeyvRow } from './keyv.js';
import type { Results } from './results.js';
import { examples, number, table } from './tables.js';

/** The section of docs/reliability.md about metadata behind Keyv. */
export function keyvKills({ keyv: rows }: Results): string | undefined {
  if (rows.length === 0) return undefined;
  const tableOf = (killed: KeyvRow['killed']) =>
    table(
      [
        'metadata in',
        'concurrent writers',
        'kills',
        'reported commits',
        'unreported, yet present',
        'broken promises',
        'damaged trees',
        'leaked pages',
        'leftover probes',
        'seed',
      ],
      rows
        .filter((row) => row.killed === killed)
        .map((row) => [
          row.store,
          row.writers,
          row.kills,
          number(row.acknowledged),
          row.whole,
          row.broken,
          row.problems,
          row.leaked,
          row.probes,
          row.seed,
        ]),
    );
  return `## Metadata in Keyv, and kill -9

Processes that share one store are killed at random instants, while they write to it or
open it. Then the store is opened as the next process would open it. Each reported commit must be
present, each other commit complete or absent, the tree intact, and every stored page named by the tree or
its root. To test the database, a process that opens the store writes a value called a probe; a leftover probe is never read.

${tableOf('writer')}

In this test, the database server is killed, and then restarted on its data:

${tableOf('server')}
${examples(rows)}
The operating system keeps what a killed server wrote. So this test shows that a commit is reported
only after it was written, and that the server recovers it. It does not show what happens in a power cut.`;
}
