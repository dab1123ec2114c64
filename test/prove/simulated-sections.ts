import type { Results } from './results.js';
import { number, table } from './tables.js';

const SIMULATOR = `The storage with its filesystem driver runs on a file system in memory that is as weak
as POSIX allows: un-synced bytes are old, empty, a prefix, a prefix and zeros, or any part of the
writes; each un-synced name is there or not, for itself; after a failed sync the bytes are gone.
A name in a new directory is lost with it, as long as that is not synced itself. Several clients do
all kinds of operations, and a seed decides every race. After each step states that a power cut may
leave are opened, swept and compared, byte for byte, with all that may have happened. In some the
recovery is cut off as well. Limits are low, so that few appends make an object that needs a manifest.

Some clients wait in the middle of a body, for up to seconds, while others delete buckets, make new ones of
the same name, and grant and revoke rights. An operation may act only in the bucket that it found, and a
client with a grant only at an instant at which the grant is there.

Within a run no state is counted twice. One that is equal to an earlier one is not opened again: what
was found there is judged anew when other things may have happened by now. An object whose record and
bytes are those of an earlier state is read again in one state of sixteen.

\`npm test\` does the same for up to 19 seconds, or until 100,000 states. \`SIM_STATES=1000000 npx ava
test/dist/simulator/simulator.test.js\` looks at more, \`SEED=<n>\` shows one run again.`;

export const simulatedCuts = ({ simulated }: Results): string | undefined =>
  simulated &&
  `## Simulated power cuts

${SIMULATOR}

${table(
  [
    'states after a crash',
    'of them in a recovery',
    'with manifests',
    'known ones judged anew',
    'runs',
    'operations',
    'calls of the drivers',
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
  `## Wrong protocols that the simulator finds out

A test that cannot fail proves nothing. Each row is a mistake that storages make, switched on in the
test tree only, and how many states it took to find it.

${table(
  ['mistake', 'states', 'runs'],
  wrong.map(({ name, states, runs }) => [
    name,
    states === undefined ? '**not found**' : number(states),
    runs,
  ]),
)}`;
