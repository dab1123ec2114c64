import { faultsOf } from './findings.js';
import {
  failingCalls,
  failingRecords,
  fullDisks,
  killed,
  lies,
  powerCuts,
  relaxedPowerCuts,
} from './kernel-sections.js';
import { keyvKills } from './keyv-report.js';
import type { Results } from './results.js';
import { simulatedCuts, wrongProtocols } from './simulated-sections.js';

const HEAD = `# Reliability

What is answered with success is on the disk, and anyone can run the proof.`;

const PROMISES = `## What is promised

With durability \`full\`, the default:

1. A write that was answered with success survives a crash of the process, of the machine, and a
   power cut.
2. A write that was not answered is there whole, or not at all. No torn or mixed object is ever read.
3. Objects are linearizable, each for itself: what clients see is explained by one order of calls.
4. A crash while the storage recovers is harmless.
5. After a crash and a sweep no blob is missing and none is left over.
6. Bytes that rot on the disk are never answered as if they were whole, and a scrub finds them.
   Here each object is scrubbed after each cut and kill; \`npm test\` turns bits over.`;

const run = ({ machine, seconds }: Results): string =>
  `This page is written by \`npm run prove\`. The figures are those of one run of ${seconds} seconds:

- ${machine.date}
- ${machine.processors}
- ${machine.kernel}, Node ${machine.node}

The same figures as data: \`test/prove/last-run.json\`.`;

const found = (results: Results): string => `## Faults that this run found

${faultsOf(results)}`;

const left = ({ skipped }: Results): string => `## What was skipped

${skipped.length === 0 ? 'Nothing.' : skipped.map((line) => `- ${line}`).join('\n')}`;

const LIMITS = `## What this does not show

- A drive that answers a flush and forgets the bytes: that is a promise of the hardware.
- Network file systems, Windows and macOS.
- A power cut under a database behind Keyv: its durability is that of the database.`;

/** The page, in order. A section without figures is left out. */
const SECTIONS: readonly ((results: Results) => string | undefined)[] = [
  () => HEAD,
  run,
  () => PROMISES,
  simulatedCuts,
  wrongProtocols,
  powerCuts,
  relaxedPowerCuts,
  killed,
  keyvKills,
  failingCalls,
  failingRecords,
  lies,
  fullDisks,
  found,
  left,
  () => LIMITS,
];

/** docs/reliability.md, from the figures of one run. */
export const report = (results: Results): string =>
  `${SECTIONS.map((section) => section(results))
    .filter((section) => section !== undefined)
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
