/**
 * The proof on real kernels: `npm run prove`. It takes a few minutes and writes
 * docs/reliability.md. It needs root on Linux; otherwise it reports what it skips. PROVE_SCALE=10
 * does ten times as much.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAULTS, failCalls } from './faults.js';
import { faultsOf } from './findings.js';
import { fillDisk } from './full.js';
import { cutImages } from './images.js';
import { KEYV_PROOFS } from './keyv.js';
import { killAtCalls, killAtRandom } from './kills.js';
import { testFalseWrites } from './lies.js';
import { describeMachine, lacking } from './machine.js';
import { proveManyHosts } from './many-hosts.js';
import { failRecords, RECORDS_FAULTS } from './records.js';
import { report } from './report.js';
import type { Results } from './results.js';
import { catchWrongProtocols, simulateFor } from './simulated.js';

const scale = Number(process.env.PROVE_SCALE ?? 1);
const only = process.env.PROVE_ONLY?.split(',');
const seed = Number(process.env.SEED ?? 20_300_101);
const results: Results = {
  machine: await describeMachine(),
  ...{ images: [], kills: [], keyv: [], faults: [], records: [], lies: [], full: [] },
  ...{ skipped: [], seconds: 0 },
};
const work = await mkdtemp(join(tmpdir(), 'bucketware-prove-'));
// The clock of `performance` stands still in a simulation.
const began = process.uptime();
let failed = 0;

async function part(
  name: string,
  tools: readonly string[] | undefined,
  run: () => Promise<string>,
) {
  if (only && !only.includes(name.split(' ')[0] as string)) return;
  const reason = tools && (await lacking(...tools));
  if (reason !== undefined) {
    results.skipped.push(`${name}: ${reason}`);
    return console.log(`skipped  ${name}: ${reason}`);
  }
  const since = process.uptime();
  try {
    const outcome = await run();
    console.log(`done     ${name}: ${outcome} (${(process.uptime() - since).toFixed(0)} s)`);
  } catch (error) {
    failed++;
    results.skipped.push(`${name}: it failed: ${(error as Error).message}`);
    console.log(`FAILED   ${name}: ${(error as Error).stack}`);
  }
}

const rows = [
  ['ext4', 'full', 60],
  ['btrfs', 'full', 60],
  ['xfs', 'full', 25],
  ['ext4', 'relaxed', 15],
  ['btrfs', 'relaxed', 15],
] as const;
for (const [fileSystem, durability, count] of rows) {
  const tools = [...new Set(['mkfs.xfs', `mkfs.${fileSystem}`, 'losetup'])];
  await part(`images of ${fileSystem}, ${durability}`, tools, async () => {
    const images = Math.round(count * scale);
    const row = await cutImages({ fileSystem, durability, images, seed, work });
    results.images.push(row);
    return `${row.broken} of ${row.images} images break a promise, ${row.withOrphans} have orphans`;
  });
}
await part('kills at random', undefined, async () => {
  const row = await killAtRandom(work, Math.round(100 * scale), seed);
  results.kills.push(row);
  return `${row.broken} broken promises in ${row.kills} kills`;
});
for (const calls of ['fsync', 'fdatasync', 'pwrite64', 'writev', 'unlink']) {
  await part(`kills at ${calls}`, ['strace'], async () => {
    const row = await killAtCalls(work, calls, Math.round(8 * scale), seed);
    results.kills.push(row);
    return `${row.broken} broken promises in ${row.kills} kills`;
  });
}
for (const { name, run } of KEYV_PROOFS) {
  await part(`keyv ${name}`, undefined, async () => {
    const row = await run(work, scale, seed);
    if (typeof row === 'string') {
      results.skipped.push(`keyv ${name}: ${row}`);
      return `skipped: ${row}`;
    }
    results.keyv.push(row);
    return `${row.broken} broken promises, ${row.leaked} leaked pages in ${row.kills} kills`;
  });
}
for (const fault of FAULTS) {
  await part(`faults: ${fault.name}`, ['strace'], async () => {
    const row = await failCalls(work, fault, seed);
    results.faults.push(row);
    const { injected, broken, retried, poisoned, unanswered } = row;
    const rules = `${retried} retried, ${poisoned} poisoned files in use`;
    return `${injected} failures, ${broken} broken, ${rules}, ${unanswered} unanswered`;
  });
}
for (const fault of RECORDS_FAULTS) {
  await part(`records: ${fault.call} answers ${fault.error}`, ['strace'], async () => {
    const row = await failRecords(work, fault, seed);
    results.records.push(row);
    const { injected, broken, late, failedReads, failedAfter, unanswered } = row;
    const wrong = broken + failedReads + failedAfter + unanswered;
    return `${injected} failures, ${wrong} broken rules, ${late} changes after one had failed`;
  });
}
await part('lies about writes', ['strace'], async () => {
  const row = await testFalseWrites(work, seed);
  results.lies.push(row);
  const { ofBlobs, ofRecords, loud, silent } = row;
  return `${ofBlobs} of blobs, ${ofRecords} of records: ${loud} found out, ${silent} wrong bytes`;
});
for (const what of ['bytes', 'inodes'] as const) {
  await part(`full disk: ${what}`, ['mount'], async () => {
    const row = await fillDisk(work, what, seed);
    results.full.push(row);
    return `${JSON.stringify(row.answers)}, works again: ${row.worksAgain}, ${row.broken} broken`;
  });
}
await part('hosts that share a storage', undefined, async () => {
  const row = await proveManyHosts(scale);
  if (typeof row === 'string') {
    results.skipped.push(`hosts that share a storage: ${row}`);
    return `skipped: ${row}`;
  }
  results.manyHosts = row;
  const { broken, missing, orphans, faults, calls } = row;
  return `${broken} broken promises, ${missing} missing, ${orphans} orphans in ${faults} faults and ${calls} calls`;
});
// This part comes last: it makes the ids and pauses of this process depend on a seed.
await part('simulator', undefined, async () => {
  results.simulated = await simulateFor(60 * scale, 1_000_000);
  return `${results.simulated.states} states, ${results.simulated.violation ?? 'no violation'}`;
});
await part('wrong protocols', undefined, async () => {
  results.wrong = await catchWrongProtocols(60_000);
  const caught = results.wrong.filter(({ states }) => states !== undefined).length;
  return `${caught} of ${results.wrong.length} found out`;
});

await rm(work, { recursive: true, force: true });
results.seconds = Math.round(process.uptime() - began);
const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
await writeFile(path('test/prove/last-run.json'), `${JSON.stringify(results, undefined, 2)}\n`);
if (!only) await writeFile(path('docs/reliability.md'), report(results));
const faults = faultsOf(results);
for (const fault of faults) console.error(fault);
process.exit(failed + faults.length > 0 ? 1 : 0);
