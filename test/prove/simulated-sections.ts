import type { Results } from './results.js';
import { number, table } from './tables.js';

const SIMULATOR = `The storage and its filesystem driver run on an in-memory file system that promises no more than
POSIX does. After a power cut:

- unsynced data is old, empty, a prefix, a prefix followed by zeros, or any part of the writes
- each unsynced name is present or absent, independently of the others
- data whose sync failed is lost
- a new directory whose own name is not synced is lost with all that it contains

Several clients perform all kinds of operations, and a seed decides every race. After each step, the test opens the
states that a power cut could leave, sweeps them, and compares them byte for byte with all possible outcomes. In some
states, it also interrupts the recovery. The storage's limits are set low, so that a few appends create a manifest.

Some clients pause for seconds in the middle of a body, while others delete buckets, create new ones with
the same name, and grant and revoke permissions. An operation may act only in the bucket that it found, and a
client may use a grant only while it exists.

Within a run, no state is counted twice. If a state equals an earlier one, it is not opened again, but what
was found there is checked again if other outcomes have become possible. If an object's record and
data equal those of an earlier state, the object is read again in one of sixteen states.

\`npm test\` does the same for up to 19 seconds or 100,000 states. To examine more states, run
\`SIM_STATES=1000000 npx ava test/dist/simulator/simulator.test.js\`. \`SEED=<n>\` repeats one run.`;

export const simulatedCuts = ({ simulated }: Results): string | undefined =>
  simulated &&
  `## Simulated power cuts

${SIMULATOR}

${table(
  [
    'states after a crash',
    'of these, during recovery',
    'with manifests',
    'known states checked again',
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
      number(simulated.judgedAnew),
      number(simulated.runs),
      number(simulated.operations),
      number(simulated.steps),
      number(simulated.faults),
      simulated.violation === undefined ? 0 : 1,
    ],
  ],
)}

This took ${simulated.seconds} seconds, with seeds from ${simulated.firstSeed} on.${simulated.violation === undefined ? '' : `\n\n\`\`\`\n${simulated.violation}\n\`\`\``}`;

export const wrongProtocols = ({ wrong }: Results): string | undefined =>
  wrong &&
  `## Mistakes that the simulator finds

A test that cannot fail proves nothing. Each row is a common mistake of storage software, built in for
this test only, with the number of states and runs until the simulator found it.

${table(
  ['mistake', 'states', 'runs'],
  wrong.map(({ name, states, runs }) => [
    name,
    states === undefined ? '**not found**' : number(states),
    runs,
  ]),
)}`;
