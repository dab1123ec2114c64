import type { Results } from './results.js';
import { number, table } from './tables.js';

const SIMULATOR = `The storage and its filesystem driver run on an in-memory file system that guarantees no more than POSIX does. These
rules apply after a simulated power cut:

- The unsynced data of a file is old, empty, a prefix of the new data, a prefix followed by zeros, or any part of the
  writes.
- Each unsynced name is present or absent, independently of the others.
- Data whose sync failed is lost.
- A new directory whose own name was not synced is lost, with everything in it.

Several clients perform operations of all kinds. A seed decides the outcome of every race, so each run can be repeated.
After each step, the test determines states that a power cut at that moment could leave behind. It opens the storage in
each of these states, sweeps it, and compares every object byte for byte with the outcomes that are allowed. In some
states, it also interrupts the recovery. The limits of the storage are set low, so that a few appends are enough to
create a manifest.

Some clients pause for seconds in the middle of a body. Meanwhile, others delete buckets, create new ones with the same
name, and grant and revoke permissions. The test checks that an operation changes only the bucket that it found at
first, and that a client can use a grant only while the grant exists.

Within a run, no state is counted twice. A state that equals an earlier one is not opened again. If different outcomes
are allowed by then, the result of the earlier state is compared with them. An object whose record and data are the same
as in an earlier state is read again in only one of sixteen states.

\`npm test\` does the same for a few seconds, and \`npm run test:more\` for half a minute. To examine more states, run
\`SIM_STATES=1000000 npx ava test/dist/simulator/simulator.test.js\`. To repeat one run, set \`SEED=<n>\`.`;

export const simulatedCuts = ({ simulated }: Results): string | undefined =>
  simulated &&
  `## Simulated power cuts

${SIMULATOR}

${table(
  [
    'states after a crash',
    'of these, after a crash during recovery',
    'of these, with manifests',
    'earlier states compared again',
    'runs',
    'operations',
    'driver calls',
    'injected failures',
    'violations',
  ],
  [
    [
      number(simulated.states),
      number(simulated.recoveries),
      number(simulated.manifests),
      number(simulated.comparedAgain),
      number(simulated.runs),
      number(simulated.operations),
      number(simulated.steps),
      number(simulated.faults),
      simulated.violation === undefined ? 0 : 1,
    ],
  ],
)}

These runs took ${simulated.seconds} seconds. Their seeds start at ${simulated.firstSeed}.${simulated.violation === undefined ? '' : `\n\n\`\`\`\n${simulated.violation}\n\`\`\``}`;

export const wrongProtocols = ({ wrong }: Results): string | undefined =>
  wrong &&
  `## Mistakes that the simulator finds

The simulator must also find real mistakes. To test this, it runs on versions of the storage that each contain one
mistake. Each row of the table is such a mistake, of a kind that is common in storage software, with the number of
states and runs until the simulator found it.

${table(
  ['mistake', 'states', 'runs'],
  wrong.map(({ name, states, runs }) => [
    name,
    states === undefined ? '**not found**' : number(states),
    runs,
  ]),
)}`;
