import type { Results } from './results.js';
import { counts, examples, number, table } from './tables.js';

export function powerCuts({ images }: Results): string | undefined {
  const durable = images.filter(({ durability }) => durability === 'full');
  if (durable.length === 0) return undefined;
  return `## Power cuts on real file systems

The server writes to a file system in a disk image. Meanwhile, the test makes reflink copies of the image. Such a copy
contains what the kernel had sent to the disk at one instant, as after a power cut. The test mounts each copy and opens
the storage in it. Every write that was acknowledged before the cut must be complete. A write that had started but was
not acknowledged may be present or absent.

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
  return `### With durability \`relaxed\`

With this setting, the operating system decides when data reaches the disk. Data survives if the process is killed, but
a power cut may destroy all metadata. Broken promises are therefore expected here:

${table(
  ['file system', 'cuts', 'acknowledged writes', 'cuts with a broken promise'],
  relaxed.map((row) => [row.fileSystem, row.images, number(row.acknowledged), row.broken]),
)}`;
}

export function killed({ kills }: Results): string | undefined {
  if (kills.length === 0) return undefined;
  return `## kill -9

The server is killed and restarted again and again. In the first row, it is killed at random instants while ten clients
use it. In the other rows, strace kills it when it makes the k-th system call of one kind.

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

In a running server, strace makes the k-th call of one kind fail. A failed sync must never be repeated, and no record may
ever refer to a file whose sync failed.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'acknowledged writes',
    'other responses, by status',
    'broken promises',
    'repeated syncs',
    'files used after a failed sync',
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

Here, the k-th call of one kind on the metadata file fails. After EIO, the storage is read-only: the failed change gets
500, all later changes get 503 immediately, and reads continue. After ENOSPC, the failed change gets 507. Later changes
succeed, unless it was the write of the database root that failed. At the end of each run, the storage is closed and
reopened in the same process, and then changed again.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'failed to open',
    'acknowledged writes',
    'other responses, by status',
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

Here, strace makes the k-th write report that it wrote two bytes although it wrote none. No operating system should do
this, and the storage cannot detect it during the write.

${table(
  [
    'runs',
    'lies about blobs',
    'lies about metadata',
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

The test fills a small tmpfs completely, and then frees space without restarting the server. While the disk is full,
writes must get status 507, and existing data must stay readable. Afterwards, the storage must work again. LMDB
also reports an I/O error (EIO) if data fits only partly. On a nearly full disk, the storage treats this error like a full disk.

${table(
  [
    'what ran out',
    'acknowledged writes',
    'other responses, by status',
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
