import type { KeyvRow } from './keyv.js';
import type { Results } from './results.js';
import { examples, number, table } from './tables.js';

/** The section of docs/reliability.md about records behind Keyv. */
export function keyvKills({ keyv: rows }: Results): string | undefined {
  if (rows.length === 0) return undefined;
  const tableOf = (killed: KeyvRow['killed']) =>
    table(
      [
        'records in',
        'writers at once',
        'kills',
        'reported commits',
        'cut off, yet there',
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
  return `## Records behind Keyv, and kill -9

Processes that commit to one store are killed at random instants, while they write or while they
open it. Then the store is opened as the next process would: each commit that was reported must be
there, each other one whole or not at all, the tree whole, and no page stored that neither the tree nor
its root names. A probe is a value by which an opening tries the database; nobody reads one that is left over.

${tableOf('writer')}

The same with a kill of the database server, which is then started again on its data:

${tableOf('server')}
${examples(rows)}
A killed server leaves what it wrote to the operating system: this shows that a commit is reported
after it was written, and that the server recovers it. It is no power cut.`;
}
