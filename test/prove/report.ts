import { faultsOf } from './findings.js';
import type { Results } from './main.js';

type Cell = string | number;

const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const counts = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .map(([status, times]) => `${times} x ${status}`)
    .join(', ') || 'none';

const number = (value: number): string => value.toLocaleString('en-US');

/** What went wrong, in the words of the run, so that nobody has to look for it. */
const examples = (rows: readonly { readonly examples: readonly string[] }[]): string => {
  const told = [...new Set(rows.flatMap((row) => row.examples))].slice(0, 6);
  if (told.length === 0) return '';
  return `\nTold by these runs:\n\n${told.map((line) => `- \`${line.replaceAll('`', "'")}\``).join('\n')}\n`;
};

/** docs/reliability.md, from the figures of one run. */
export function report(results: Results): string {
  const { machine, simulated, wrong = [], images, kills, faults, full, skipped, seconds } = results;
  const durable = images.filter(({ durability }) => durability === 'full');
  const relaxed = images.filter(({ durability }) => durability === 'relaxed');
  const sections = [
    HEAD,
    `This page is written by \`npm run prove\`. The figures are those of one run of ${seconds} seconds:

- ${machine.date}
- ${machine.processors}
- ${machine.kernel}, Node ${machine.node}

The same figures as data: \`test/prove/last-run.json\`.`,
    PROMISES,
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

In ${simulated.seconds} seconds, seeds from ${simulated.firstSeed} on.${simulated.violation === undefined ? '' : `\n\n\`\`\`\n${simulated.violation}\n\`\`\``}`,
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
)}`,
    durable.length > 0 &&
      `## Power cuts on real file systems

A copy by reference of a disk's image, taken while the server writes to it, is what the kernel had
sent to the disk at one instant. Each is mounted and opened; what had been answered before the cut
must be there whole, what had begun may be.

${table(
  [
    'file system',
    'cuts',
    'answered writes',
    'cuts with a broken promise',
    'blobs missing',
    'cuts with orphans',
    'seed',
  ],
  durable.map((row) => [
    row.fileSystem,
    row.images,
    number(row.acknowledged),
    row.broken,
    row.missing,
    row.withOrphans,
    row.seed,
  ]),
)}
${examples(durable)}
An orphan is a file that nothing names any more: disk space that is lost, no data.`,
    relaxed.length > 0 &&
      `### Failing by design: durability \`relaxed\`

With this setting the operating system decides when bytes reach the disk. It outlives a killed
process, not a power cut, and may lose the whole of the records:

${table(
  ['file system', 'cuts', 'answered writes', 'cuts with a broken promise'],
  relaxed.map((row) => [row.fileSystem, row.images, number(row.acknowledged), row.broken]),
)}`,
    kills.length > 0 &&
      `## kill -9

The server is killed at random instants, again and again on one store, and opened again.

${table(
  ['kills', 'answered writes', 'broken promises', 'blobs missing', 'orphans', 'seed'],
  kills.map((row) => [
    row.kills,
    number(row.acknowledged),
    row.broken,
    row.missing,
    row.orphans,
    row.seed,
  ]),
)}
${examples(kills)}`,
    faults.length > 0 &&
      `## Calls of the system that fail

strace makes the k-th call fail in a running server. A sync that failed is never tried again, and no
record ever names a file whose sync failed.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'answered writes',
    'other answers',
    'broken promises',
    'syncs tried again',
    'such files in use',
    'no answer in 8 s',
  ],
  faults.map((row) => [
    row.fault,
    row.runs,
    row.injected,
    number(row.acknowledged),
    counts(row.answers),
    row.broken,
    row.retried,
    row.poisoned,
    row.unanswered,
  ]),
)}
${examples(faults)}`,
    full.length > 0 &&
      `## A full disk

On a small tmpfs until nothing fits; then the room comes back, without a restart. A full disk is an
answer of status 507, what is there can be read, and the store works again.

${table(
  [
    'what ran out',
    'answered writes',
    'other answers',
    'failed reads',
    'works again',
    'broken promises',
    'orphans',
  ],
  full.map((row) => [
    row.what,
    number(row.acknowledged),
    counts(row.answers),
    row.failedReads,
    row.worksAgain ? 'yes' : '**no**',
    row.broken,
    row.orphans,
  ]),
)}
${examples(full)}`,
    `## Faults that this run found

${faultsOf(results)}`,
    `## What was skipped

${skipped.length === 0 ? 'Nothing.' : skipped.map((line) => `- ${line}`).join('\n')}`,
    LIMITS,
  ];
  return `${sections
    .filter((section) => typeof section === 'string')
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

const HEAD = `# Reliability

What is answered with success is on the disk, and anyone can run the proof.`;

const PROMISES = `## What is promised

With durability \`full\`, the default:

1. A write that was answered with success survives a crash of the process, of the machine, and a
   power cut.
2. A write that was not answered is there whole, or not at all. No torn or mixed object is ever read.
3. Objects are linearizable, each for itself: what clients see is explained by one order of calls.
4. A crash while the storage recovers is harmless.
5. After a crash and a sweep no blob is missing and none is left over.`;

const SIMULATOR = `The storage with its filesystem driver runs on a file system in memory that is as weak
as POSIX allows: un-synced bytes are old, empty, a prefix, a prefix and zeros, or any part of the
writes; each un-synced name is there or not, for itself; after a failed sync the bytes are gone.
A name in a new directory is lost with it, as long as that is not synced itself. Several clients do
all kinds of operations, and a seed decides every race. After each step states that a power cut may
leave are opened, swept and compared, byte for byte, with all that may have happened. In some the
recovery is cut off as well. Limits are low, so that few appends make an object that needs a manifest.

Within a run no state is counted twice. One that is equal to an earlier one is not opened again: what
was found there is judged anew when other things may have happened by now. An object whose record and bytes are
those of an earlier state is read again in one state of sixteen.

\`npm test\` does the same for up to 19 seconds, or until 100,000 states. \`SIM_STATES=1000000 npx ava
test/dist/simulator/simulator.test.js\` looks at more, \`SEED=<n>\` shows one run again.`;

const LIMITS = `## What this does not show

- A drive that answers a flush and forgets the bytes: that is a promise of the hardware.
- Network file systems, Windows and macOS.
- The Keyv drivers: their durability is that of the database behind them.`;
