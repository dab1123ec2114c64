import type { Results } from './results.js';
import { number, table } from './tables.js';

const SIMULATOR = `The storage with its filesystem driver runs on an in-memory file system that is as weak
as POSIX allows. After a power cut, unsynced data is old, empty, a prefix, a prefix and zeros, or any part of the
writes; each unsynced name is present or absent, independently of others; after a failed sync the data is lost.
A name in a new directory is lost with the directory until that is synced itself. Several clients perform
all kinds of operations, and a seed decides every race. After each step, the states that a power cut may
leave are opened, swept and compared, byte for byte, with everything that may have happened. In some states, the
recovery is interrupted as well. Limits are low, so that few appends create an object that needs a manifest.

Some clients pause in the middle of a body, for up to seconds, while others delete buckets, create new ones with
the same name, and grant and revoke rights. An operation may act only in the bucket that it found, and a
client with a grant only while the grant exists.

Within a run, no state is counted twice. A state that is equal to an earlier one is not opened again: what
was found there is checked again if other outcomes have become possible. An object whose record and
data are those of an earlier state is read again in one of sixteen states.

\`npm test\` does the same for up to 19 seconds, or until 100,000 states. \`SIM_STATES=1000000 npx ava
test/dist/simulator/simulator.test.js\` examines more states; \`SEED=<n>\` repeats one run.`;

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

In ${simulated.seconds} seconds, seeds from ${simulated.firstSeed} on.${simulated.violation === undefined ? '' : `\n\n\`\`\`\n${simulated.violation}\n\`\`\``}`;

export const wrongProtocols = ({ wrong }: Results): string | undefined =>
  wrong &&
  `## Mistakes that the simulator finds

A test that cannot fail proves nothing. Each row is a mistake that storages make, enabled only in the
tests, and the number of states until it was found.

${table(
  ['mistake', 'states', 'runs'],
  wrong.map(({ name, states, runs }) => [
    name,
    states === undefined ? '**not found**' : number(states),
    runs,
  ]),
)}`;
