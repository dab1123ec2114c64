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

By default, the data is on disk when the storage acknowledges a write. \`npm run prove\` tests this and writes this page.`;

const PROMISES = `## What is promised

With durability \`full\`, the default:

1. An acknowledged write survives a crash of the process, a crash of the machine and a power cut.
2. An interrupted write is stored completely or not at all. No read ever returns an object that is torn or a mixture
   of several writes.
3. Each object is linearizable: everything that clients see can be explained by one order of calls.
4. A crash during recovery does no harm.
5. After a crash, every blob that is needed exists. Sweeps remove all other blobs, those of interrupted uploads after
   seven days. In the tests, the sweep runs with a clock that is set further ahead than that.
6. Corrupt data is never returned as if it were intact, except in a [range that cannot be
   verified](operations.md#getobject). A scrub finds corrupt data. The tests on this page scrub every object after each
   power cut and each kill. \`npm test\` also flips bits in stored data.`;

const run = ({ machine, seconds }: Results): string =>
  `The figures are from one run, which took ${seconds} seconds:

- Time: ${machine.date}
- Processors: ${machine.processors}
- System: ${machine.kernel}, Node ${machine.node}

The figures are also available as JSON, in \`test/prove/last-run.json\`.`;

const found = (results: Results): string => `## Defects that this run found

${faultsOf(results).join('\n') || 'None.'}`;

const left = ({ skipped }: Results): string => `## What was skipped

${skipped.length === 0 ? 'Nothing.' : skipped.map((line) => `- ${line}`).join('\n')}`;

const LIMITS = `## What is not tested

- Drives that acknowledge a flush and then lose the data. Here you depend on the hardware.
- Network file systems, Windows and macOS.
- Power cuts of a database or an object store. Here you depend on its own promises.`;

/** The sections of the page, in order. A section without figures is left out. */
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

/** The text of docs/reliability.md with the figures of one run. */
export const report = (results: Results): string =>
  `${SECTIONS.map((section) => section(results))
    .filter((section) => section !== undefined)
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
