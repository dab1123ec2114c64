import { BlobNotFoundError, type ObjectStorage } from '@bucketware/core';
import type { Monitor } from './monitor.js';
import type { Planned, Shared } from './planned.js';
import type { Scheduler } from './scheduler.js';
import type { SimulatedRecords } from './simulated-records.js';
import { READ_GRACE } from './verify.js';
import type { Who } from './within.js';
import type { Totals } from './witness.js';

/** What the clients of one life work with. */
export interface Stage {
  readonly storages: Readonly<Record<Who, ObjectStorage>>;
  readonly records: SimulatedRecords;
  readonly monitor: Monitor;
  readonly scheduler: Scheduler;
  readonly shared: Shared;
  readonly totals: Totals;
  /** Calls may fail although no fault was made. */
  readonly mayFail: boolean;
  note(line: string): void;
}

/** Does what is planned, and tells the monitor of all that a client sees of it. */
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
    // What is about no bucket may join what is under way, and ask for nothing itself.
    if (planned.bucket === undefined) begin();
    answer = await (planned.bucket === undefined ? work() : scheduler.first(begin, work));
  } catch (error) {
    note(`${id} failed: ${(error as Error).message}`);
    const isGone = (error as Error).cause instanceof BlobNotFoundError;
    const hasSlept = !shared.remembers();
    const tolerable = isGone
      ? shared.now() - began > READ_GRACE // The grace of a reader is over.
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
  // An upload that took more than seven days is refused.
  if (answer === 'RequestTimeout' && !shared.remembers()) return monitor.fail(id, false);
  const upload = shared.uploads.find((known) => !monitor.knownUploads.has(known.name));
  if (upload) monitor.knownUploads.add(upload.name);
  monitor.answer(id, answer);
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** A body, chunk by chunk; now and then by a client that takes its time between them. */
function send(bytes: Buffer, id: number, who: Who, stage: Stage): AsyncIterable<Uint8Array> {
  const { monitor, scheduler, shared } = stage;
  monitor.sending(id);
  const size = Math.max(32, Math.ceil(bytes.length / 3));
  const dawdles = shared.random.chance(who === 'grantee' ? 0.4 : 0.2);
  const wait = async () => {
    if (!dawdles) return;
    await shared.dawdle(600);
    // Longer than a permission applies without another check.
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

/** Which bucket has the name now, and which list it has. */
interface Sight {
  readonly bucket?: string | undefined;
  readonly list?: unknown;
}

function look({ records }: Stage, { bucket }: Planned): Sight {
  const record = records.find(`b/${bucket}`)?.value as { id: string } | undefined;
  return { bucket: record?.id, list: records.find(`x/${record?.id}/acl`) };
}
