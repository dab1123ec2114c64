import type { Results } from './results.js';
import { counts, examples, number, table } from './tables.js';

export function powerCuts({ images }: Results): string | undefined {
  const durable = images.filter(({ durability }) => durability === 'full');
  if (durable.length === 0) return undefined;
  return `## Power cuts on real file systems

A reflink copy of a disk image, taken while the server writes to it, contains what the kernel had
sent to the disk at one instant. Each copy is mounted and opened. Writes acknowledged before the cut
must be complete; writes that had only started may be present.

${table(
  [
    'file system',
    'cuts',
    'acknowledged writes',
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
An orphan is a file that nothing refers to. It wastes disk space, but no data is lost.`;
}

export function relaxedPowerCuts({ images }: Results): string | undefined {
  const relaxed = images.filter(({ durability }) => durability === 'relaxed');
  if (relaxed.length === 0) return undefined;
  return `### Failing by design: durability \`relaxed\`

With this setting, the operating system decides when data reaches the disk. Data survives a killed
process, but a power cut may destroy all metadata:

${table(
  ['file system', 'cuts', 'acknowledged writes', 'cuts with a broken promise'],
  relaxed.map((row) => [row.fileSystem, row.images, number(row.acknowledged), row.broken]),
)}`;
}

export function killed({ kills }: Results): string | undefined {
  if (kills.length === 0) return undefined;
  return `## kill -9

The server is repeatedly killed and restarted: at random instants while ten clients use it, and,
with strace, at the k-th system call of a certain kind.

${table(
  ['where', 'kills', 'acknowledged writes', 'broken promises', 'blobs missing', 'orphans', 'seed'],
  kills.map((row) => [
    row.where,
    row.kills,
    number(row.acknowledged),
    row.broken,
    row.missing,
    row.orphans,
    row.seed,
  ]),
)}
${examples(kills)}`;
}

export function failingCalls({ faults }: Results): string | undefined {
  if (faults.length === 0) return undefined;
  return `## Failing system calls

strace makes the k-th call fail in a running server. A failed sync is never repeated, and no
record ever refers to a file whose sync failed.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'acknowledged writes',
    'other responses',
    'broken promises',
    'repeated syncs',
    'such files used',
    'no response in 8 s',
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
${examples(faults)}`;
}

export function failingRecords({ records }: Results): string | undefined {
  if (records.length === 0) return undefined;
  return `### Failing writes of metadata

The k-th call of a certain kind on the metadata file fails. After EIO, the storage is read-only:
the failed change gets 500, all later changes get 503 immediately, and reads continue. After ENOSPC,
the response is 507, and changes continue, unless the write of the database root failed. The storage is then closed,
reopened and changed in the same process.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'not opened',
    'acknowledged writes',
    'other responses',
    'failed reads',
    'failed after reopening',
    'broken promises',
    'no response in 8 s',
  ],
  records.map((row) => [
    row.fault,
    row.runs,
    row.injected,
    row.notOpened,
    number(row.acknowledged),
    counts(row.answers),
    row.failedReads,
    row.failedAfter,
    row.broken,
    row.unanswered,
  ]),
)}
${examples(records)}`;
}

export function lies({ lies }: Results): string | undefined {
  if (lies.length === 0) return undefined;
  return `### A system that lies about a write

strace makes the k-th write report that it wrote two bytes when it wrote none. No system should do this, and
no check during the write can detect it.

${table(
  [
    'runs',
    'lies about blobs',
    'about metadata',
    'acknowledged writes',
    'detected by a read',
    'wrong data returned',
  ],
  lies.map((row) => [
    row.runs,
    row.ofBlobs,
    row.ofRecords,
    number(row.acknowledged),
    row.loud,
    row.silent,
  ]),
)}
${examples(lies)}`;
}

export function fullDisks({ full }: Results): string | undefined {
  if (full.length === 0) return undefined;
  return `## A full disk

A small tmpfs is filled completely, and then space is freed without a restart. While the disk is full, writes get
status 507 and existing data stays readable. Afterwards, the storage works again.

${table(
  [
    'what ran out',
    'acknowledged writes',
    'other responses',
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
${examples(full)}`;
}
