import { BlobNotFoundError, type ObjectStorage } from '@bucketware/core';
import type { Monitor } from './monitor.js';
import type { Planned, Shared } from './planned.js';
import type { Scheduler } from './scheduler.js';
import type { SimulatedRecords } from './simulated-records.js';
import { READ_GRACE } from './verify.js';
import type { Who } from './within.js';
import type { Totals } from './witness.js';

/** What the clients use until the next crash. */
export interface Stage {
  readonly storages: Readonly<Record<Who, ObjectStorage>>;
  readonly records: SimulatedRecords;
  readonly monitor: Monitor;
  readonly scheduler: Scheduler;
  readonly shared: Shared;
  readonly totals: Totals;
  /** Whether calls may fail although no fault was injected. */
  readonly mayFail: boolean;
  note(line: string): void;
}

/** Performs a planned operation, and reports to the monitor everything that a client sees of it. */
export async function perform(planned: Planned, stage: Stage): Promise<void> {
  const { name, moves, who = 'host', call } = planned;
  const { storages, monitor, scheduler, shared, totals, note } = stage;
  const id = monitor.call(name, moves);
  totals.operations++;
  const { unknowns } = scheduler;
  const began = shared.now();
  note(`${id} ${name}${who === 'host' ? '' : ` by the ${who}`}`);
  let before: Sight = {};
  const begin = () => {
    before = look(stage, planned);
    monitor.begin(id);
  };
  let answer: string;
  try {
    const work = () => call(storages[who], (bytes) => send(bytes, id, who, stage));
    // An operation on no bucket may join one that is running, and then makes no call itself.
    if (planned.bucket === undefined) begin();
    answer = await (planned.bucket === undefined ? work() : scheduler.first(begin, work));
  } catch (error) {
    note(`${id} failed: ${(error as Error).message}`);
    const isGone = (error as Error).cause instanceof BlobNotFoundError;
    const hasSlept = !shared.remembers();
    const tolerable = isGone
      ? shared.now() - began > READ_GRACE // The read grace period is over.
      : stage.mayFail ||
        scheduler.failures > 0 ||
        (hasSlept && codeOf(error) === 'ServiceUnavailable');
    if (!tolerable) throw error;
    return monitor.fail(id, scheduler.unknowns > unknowns);
  }
  note(`${id} ${answer}`);
  const now = look(stage, planned);
  if (before.bucket !== now.bucket && before.bucket && now.bucket) totals.otherBuckets++;
  else if (who === 'grantee' && before.list !== now.list) totals.otherLists++;
  // An upload that takes more than seven days is rejected.
  if (answer === 'RequestTimeout' && !shared.remembers()) return monitor.fail(id, false);
  const upload = shared.uploads.find((known) => !monitor.knownUploads.has(known.name));
  if (upload) monitor.knownUploads.add(upload.name);
  monitor.answer(id, answer);
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Sends a body in chunks. Some clients pause between them. */
function send(bytes: Buffer, id: number, who: Who, stage: Stage): AsyncIterable<Uint8Array> {
  const { monitor, scheduler, shared } = stage;
  monitor.sending(id);
  const size = Math.max(32, Math.ceil(bytes.length / 3));
  const dawdles = shared.random.chance(who === 'grantee' ? 0.4 : 0.2);
  const wait = async () => {
    if (!dawdles) return;
    await shared.dawdle(600);
    // Longer than a permission is valid without another check.
    if (shared.random.chance(0.3)) shared.wait(1_001);
  };
  return (async function* () {
    for (let at = 0; at < bytes.length; at += size) {
      await wait();
      const chunk = bytes.subarray(at, at + size);
      yield await scheduler.step('chunk', () => chunk, { silent: true });
    }
    await wait();
    monitor.sent(id);
  })();
}

/** The bucket that has the name now, and its list. */
interface Sight {
  readonly bucket?: string | undefined;
  readonly list?: unknown;
}

function look({ records }: Stage, { bucket }: Planned): Sight {
  const record = records.find(`b/${bucket}`)?.value as { id: string } | undefined;
  return { bucket: record?.id, list: records.find(`x/${record?.id}/acl`) };
}
