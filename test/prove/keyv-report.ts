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
        'unreported commits that are present',
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

Processes that share one store are killed at random instants, while they write to the store or open it. Then the store
is opened as the next process would open it, and the following must be true:

- Every commit that was reported is present.
- Every other commit is either complete or absent.
- The tree is intact.
- The tree or its root refers to every stored page.

When a process opens the store, it writes a value called a probe to test the database. If the process is killed, the
probe may be left over. This does no harm, because such a probe is never read.

${tableOf('writer')}

In a second test, the database server is killed and then restarted with its data:

${tableOf('server')}
${examples(rows)}
The operating system keeps what the killed server has written. This test therefore shows that a commit is reported only
after it has been written, and that the server recovers it. It does not show what happens in a power cut.`;
}
