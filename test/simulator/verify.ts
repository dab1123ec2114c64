import { createObjectStorage, type ObjectStorage } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import type { Disk } from './disk.js';
import { atOnce, type Gate } from './gate.js';
import { grantName, objectName, uploadName } from './names.js';
import {
  APPEND_MEMORY,
  BUCKETS,
  GRANTEE,
  INLINE_LIMIT,
  MAX_SEGMENTS,
  SEGMENTS_IN_RECORD,
} from './planned.js';
import { type Drivers, ROOT } from './protocol.js';
import type { Readings } from './readings.js';
import { SimulatedFiles } from './simulated-files.js';
import { type Records, type RecordsState, SimulatedRecords } from './simulated-records.js';
import type { Contents } from './world.js';

/** What a crash leaves. */
export interface CrashState {
  readonly disk: Disk;
  readonly records: RecordsState;
}

/** Late enough for everything in a queue to be due: unfinished uploads wait seven days. */
export const LONG_AFTER = 9 * 24 * 60 * 60 * 1000;

export const READ_GRACE = 60_000;

/** A process with the state of the disk and the records, before it opens the storage. */
export class Machine {
  readonly files: SimulatedFiles;
  readonly records: SimulatedRecords;

  constructor({ disk, records }: CrashState, gate: Gate = atOnce) {
    this.files = new SimulatedFiles(disk, gate);
    this.records = new SimulatedRecords(records, gate);
  }

  /** What a crash at this moment would leave. */
  get remains(): CrashState {
    return { disk: this.files.disk, records: this.records.state };
  }

  /** Opens the storage with the protocol under test. */
  async open(drivers: Drivers, now: () => number): Promise<ObjectStorage> {
    const files = drivers.files(this.files);
    const blobs = await filesystemBlobs({ directory: ROOT, files });
    return createObjectStorage({
      ...drivers.stores({ blobs, metadata: this.records }, files),
      now,
      sweepEvery: false,
      hashThreads: 0, // The system schedules threads, not the simulator.
      inlineLimit: INLINE_LIMIT,
      appendMemory: APPEND_MEMORY,
      segmentsInRecord: drivers.segmentsInRecord ?? SEGMENTS_IN_RECORD,
      maxSegments: MAX_SEGMENTS,
      readGrace: drivers.readGrace ?? READ_GRACE,
      onError: () => {},
    });
  }
}

/** What a new process finds, or what is wrong with it. */
export interface Found {
  readonly world: string;
  /** The ids of uploads that no client knew, with their keys. */
  readonly unknownUploads: readonly (readonly [name: string, id: string])[];
  readonly faults: readonly string[];
}

/** How to examine what a crash left. */
export interface Look {
  readonly drivers: Drivers;
  readonly time: number;
  readonly contents: Contents;
  /** Names of uploads by id. */
  readonly uploads: ReadonlyMap<string, string>;
  readonly readings: Readings;
  /** Whether all objects are read, even if their content is known. */
  readonly readsAll: boolean;
}

interface BucketRecord {
  readonly id: string;
  readonly settings: readonly string[];
}

interface ObjectRecord {
  readonly content: { readonly inline?: string; readonly manifest?: string };
  readonly upload?: string;
  readonly parts?: number;
}

/** Opens a storage after a crash, removes the garbage and examines everything. */
export async function reopen(remains: CrashState, look: Look): Promise<Found> {
  const { drivers, time, contents, uploads, readings, readsAll } = look;
  const machine = new Machine(remains);
  const { records } = machine;
  const storage = await machine.open(drivers, () => time + LONG_AFTER);
  await storage.sweep();
  const { missing, orphans } = await storage.check();
  const faults = leftOver(records.state.entries);
  if (missing.length > 0) faults.push(`${missing.length} blobs are missing`);
  if (orphans.length > 0) faults.push(`${orphans.length} blobs are orphans`);

  const seen: string[] = [];
  const unknownUploads: [string, string][] = [];
  const { entries } = records.state;
  const shelf = { storage, records, disk: remains.disk };
  for (const bucket of BUCKETS) {
    const record = records.find(`b/${bucket}`)?.value as BucketRecord | undefined;
    if (record === undefined) continue;
    seen.push(`b/${bucket}=`);
    if (record.settings.includes('acl')) {
      const { accessControlList } = await storage.getBucketAcl({ bucket });
      const ids = accessControlList.flatMap(({ grantee }) => grantee.map(({ id }) => id));
      if (ids.includes(GRANTEE.userId)) seen.push(`${grantName(bucket)}=`);
    }
    for (const { key } of (await storage.listObjects({ bucket })).contents) {
      const at = { bucket, key };
      seen.push(`${objectName(at)}=${await readings.read(shelf, at, readsAll)}`);
    }
    if (!entries.some(({ key }) => key.startsWith(`u/${record.id}/`))) continue;
    for (const { key, uploadId } of (await storage.listMultipartUploads({ bucket })).uploads) {
      const name = uploads.get(uploadId);
      if (name === undefined) unknownUploads.push([uploadName({ bucket, key }, ''), uploadId]);
      seen.push(uploadName({ bucket, key }, name === undefined ? '?' : `${name}=`));
      const { parts } = await storage.listParts({ bucket, key, uploadId });
      for (const { partNumber, etag: eTag } of parts) {
        seen.push(`p/${name ?? '?'}/${partNumber}=${contents.withMd5(eTag)}`);
      }
    }
  }
  return { world: seen.sort().join(' '), unknownUploads, faults };
}

/** Records that nothing refers to after all garbage has been removed. */
function leftOver(entries: Records): string[] {
  const names = new Set<string>();
  const wanted = new Set<string>();
  const buckets = new Set<string>();
  for (const { key, value } of entries) {
    names.add(key);
    if (key.startsWith('b/')) buckets.add((value as { id: string }).id);
    if (key.startsWith('u/')) wanted.add(`p/${key.slice(-32)}`);
    const aclId = /^[ou]\//.test(key) && (value as { aclId?: string }).aclId;
    if (aclId) wanted.add(`a/${aclId}`);
    if (!key.startsWith('o/')) continue;
    const { content, parts, upload } = value as ObjectRecord;
    if (parts !== undefined) wanted.add(`l/${upload}`);
    if (content.inline !== undefined) wanted.add(`i/${content.inline}`);
    if (content.manifest !== undefined) wanted.add(`m/${content.manifest}`);
  }
  const faults: string[] = [];
  for (const { key } of entries) {
    const kind = key[0] as string;
    if ('gc'.includes(kind)) faults.push(`${key} was not worked off`);
    if ('aiml'.includes(kind) && !wanted.has(key)) faults.push(`${key} is named by no object`);
    if (kind === 'p' && !wanted.has(key.slice(0, 34))) faults.push(`${key} has no upload`);
    if ('oux'.includes(kind) && !buckets.has(key.slice(2, key.indexOf('/', 2))))
      faults.push(`${key} has no bucket`);
  }
  for (const name of wanted) {
    if ('aiml'.includes(name[0] as string) && !names.has(name)) faults.push(`${name} is missing`);
  }
  return faults;
}
