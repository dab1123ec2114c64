import type { Results } from './results.js';
import { counts, examples, number, table } from './tables.js';

export function powerCuts({ images }: Results): string | undefined {
  const durable = images.filter(({ durability }) => durability === 'full');
  if (durable.length === 0) return undefined;
  return `## Power cuts on real file systems

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
An orphan is a file that nothing names any more: disk space that is lost, no data.`;
}

export function relaxedPowerCuts({ images }: Results): string | undefined {
  const relaxed = images.filter(({ durability }) => durability === 'relaxed');
  if (relaxed.length === 0) return undefined;
  return `### Failing by design: durability \`relaxed\`

With this setting the operating system decides when bytes reach the disk. It outlives a killed
process, not a power cut, and may lose the whole of the records:

${table(
  ['file system', 'cuts', 'answered writes', 'cuts with a broken promise'],
  relaxed.map((row) => [row.fileSystem, row.images, number(row.acknowledged), row.broken]),
)}`;
}

export function killed({ kills }: Results): string | undefined {
  if (kills.length === 0) return undefined;
  return `## kill -9

The server is killed, again and again, and opened again: at random instants under ten clients, and,
with strace, as it makes the k-th call of a kind.

${table(
  ['where', 'kills', 'answered writes', 'broken promises', 'blobs missing', 'orphans', 'seed'],
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
  return `## Calls of the system that fail

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
${examples(faults)}`;
}

export function failingRecords({ records }: Results): string | undefined {
  if (records.length === 0) return undefined;
  return `### Records whose writes fail

The k-th call of a kind on the file of the records fails. With EIO they are read-only from then on:
the failed change is answered with 500, all later ones at once with 503, reads go on. With ENOSPC
it is 507, and they go on, unless it hit the root of the database. In the same process the storage
is then closed, opened again, and changed.

${table(
  [
    'fault',
    'runs',
    'failed calls',
    'not opened',
    'answered writes',
    'other answers',
    'failed reads',
    'failed after reopening',
    'broken promises',
    'no answer in 8 s',
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

strace makes the k-th write answer that it took two bytes, when it took none. No system should, and
nothing that is looked at while writing tells it.

${table(
  [
    'runs',
    'lies about blobs',
    'about records',
    'answered writes',
    'found out by a read',
    'wrong bytes answered',
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
${examples(full)}`;
}
