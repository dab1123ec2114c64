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
import { manyHosts } from './many-hosts-report.js';
import type { Results } from './results.js';
import { simulatedCuts, wrongProtocols } from './simulated-sections.js';

const HEAD = `# Reliability

Every acknowledged write is on disk. \`npm run prove\` tests this, and writes this page.`;

const PROMISES = `## What is promised

With durability \`full\`, the default:

1. An acknowledged write survives a crash of the process or the machine, and a power cut.
2. An interrupted write is stored completely or not at all. No read ever returns a torn or mixed object.
3. Each object is linearizable: one order of calls explains everything that clients see.
4. A crash during recovery is harmless.
5. After a crash and a sweep, no blob is missing and none is left over.
6. Corrupt data is never returned as if it were intact, and a scrub finds it.
   These tests scrub each object after each cut and kill; \`npm test\` flips bits.`;

const run = ({ machine, seconds }: Results): string =>
  `The figures are from one run of ${seconds} seconds:

- ${machine.date}
- ${machine.processors}
- ${machine.kernel}, Node ${machine.node}

They are also available as JSON: \`test/prove/last-run.json\`.`;

const found = (results: Results): string => `## Faults that this run found

${faultsOf(results)}`;

const left = ({ skipped }: Results): string => `## What was skipped

${skipped.length === 0 ? 'Nothing.' : skipped.map((line) => `- ${line}`).join('\n')}`;

const LIMITS = `## What this does not show

- A drive that acknowledges a flush and then loses the data. Here you depend on the hardware.
- Network file systems, Windows and macOS.
- A power cut of a database used through Keyv. Here you depend on the database.`;

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
  manyHosts,
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
