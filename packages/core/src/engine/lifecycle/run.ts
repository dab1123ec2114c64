import chain from 'stream-chain/core';
import { asBucket, type Bucket } from '../buckets/buckets.js';
import { createYielder } from '../concurrency/yielder.js';
import type { Actor } from '../events.js';
import { dropUpload } from '../garbage/tombstones.js';
import { changeObject } from '../objects/change.js';
import { bucketRecords } from '../records/buckets.js';
import { after } from '../records/keys.js';
import { RecordDamagedError, type Stored } from '../records/kind.js';
import { type LifecycleCursor, lifecycleCursorRecord } from '../records/lifecycle-cursor.js';
import type { LifecycleAction, LifecycleRule } from '../records/settings.js';
import { settingRecords } from '../records/settings.js';
import { uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { commit, mergeChanges } from '../transaction.js';
import { releaseUpload } from '../uploads/upload-limit.js';
import { type Candidate, candidatesOf } from './candidates.js';
import { RuleSchedule } from './rules.js';

/** The options of `storage.lifecycle.run()`. */
export interface LifecycleOptions {
  /** The time as of which the rules are applied. Default: the storage's clock. */
  readonly now?: Date | undefined;
  /** Whether to report only what would be done. Default false. */
  readonly dryRun?: boolean | undefined;
  /**
   * The run ends after this many deletions, and the next run continues there. Default: no limit.
   */
  readonly maxDeletions?: number | undefined;
  /** Called after each page. A returned promise is awaited. */
  readonly onProgress?: ((report: LifecycleReport) => void | Promise<void>) | undefined;
  /** Called for each object and upload that is, or would be, removed. */
  readonly onAction?: ((action: LifecycleStep) => void) | undefined;
}

/** What a run has done, or would do with `dryRun`. */
export interface LifecycleReport {
  /** Objects and uploads that were compared with the rules. */
  readonly examined: number;
  /** Objects that were deleted. */
  readonly deleted: number;
  /** Uploads that were aborted. */
  readonly aborted: number;
  /** Objects and uploads that were due but changed before they could be removed, and are kept. */
  readonly spared: number;
  /** False if the run ended at its limit: then the next one continues there. */
  readonly complete: boolean;
}

/** What a run did, or would do, to one object or upload. */
export interface LifecycleStep {
  readonly action: LifecycleAction;
  readonly bucket: string;
  readonly key: string;
  /** `undefined` for an object. */
  readonly uploadId: string | undefined;
  /** The rule that applies. */
  readonly ruleId: string;
}

/** Rules have no caller. */
const LIFECYCLE: Actor = { operation: 'Lifecycle', principal: undefined, requestId: '' };

interface Due {
  readonly step: LifecycleStep;
  readonly candidate: Candidate;
}

const ACTIONS: readonly LifecycleAction[] = ['DeleteObject', 'AbortMultipartUpload'];
const AT_ONCE = 64;

/**
 * Applies the rules of all buckets, page by page, and removes what is due. A damaged record is
 * reported and skipped: it must not stop the rules of all other buckets.
 */
export async function runLifecycle(
  store: Store,
  options: LifecycleOptions,
  onDamage: (damage: RecordDamagedError) => void,
): Promise<LifecycleReport> {
  const { metadata } = store;
  const run = new Run(store, options, onDamage);
  let cursor = options.dryRun ? undefined : (await lifecycleCursorRecord.get(metadata))?.value;
  for await (const page of bucketRecords.pages(metadata, { passOver: onDamage })) {
    for (const entry of page) {
      const bucket = asBucket(bucketRecords.parse(entry.key), entry);
      if (!bucket.record.settings.includes('lifecycle')) continue;
      if (cursor !== undefined && bucket.name < cursor.bucket) continue;
      const resumes = cursor?.bucket === bucket.name ? cursor : undefined;
      const first = resumes === undefined ? 0 : ACTIONS.indexOf(resumes.action);
      for (const action of ACTIONS.slice(first)) {
        const start = resumes?.action === action ? resumes.start : undefined;
        if (!(await run.applyTo(bucket, action, start))) return run.report(false);
      }
      cursor = undefined;
    }
  }
  if (!options.dryRun) await metadata.commit(lifecycleCursorRecord.delete());
  return run.report(true);
}

/** The due candidates of a page, and where the page ends. */
interface PlannedPage {
  readonly due: readonly Due[];
  readonly last: string;
}

class Run {
  readonly #store: Store;
  readonly #options: LifecycleOptions;
  readonly #onDamage: (damage: RecordDamagedError) => void;
  readonly #now: number;
  readonly #yieldIfDue = createYielder();
  readonly #counts = { examined: 0, deleted: 0, aborted: 0, spared: 0 };

  constructor(
    store: Store,
    options: LifecycleOptions,
    onDamage: (damage: RecordDamagedError) => void,
  ) {
    this.#store = store;
    this.#options = options;
    this.#onDamage = onDamage;
    this.#now = options.now === undefined ? store.now() : +options.now;
  }

  report = (complete: boolean): LifecycleReport => ({ ...this.#counts, complete });

  /** Resolves to false when the limit was reached. */
  async applyTo(bucket: Bucket, action: LifecycleAction, from?: string): Promise<boolean> {
    try {
      return await this.#applyTo(bucket, action, from);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      this.#onDamage(error);
      return true;
    }
  }

  async #applyTo(bucket: Bucket, action: LifecycleAction, from?: string): Promise<boolean> {
    const { metadata } = this.#store;
    const setting = await settingRecords.lifecycle.get(metadata, bucket.id);
    const rules = new RuleSchedule(setting?.value ?? [], action);
    if (setting === undefined || rules.isEmpty) return true;
    const steps = chain([
      (page: Candidate[]): Promise<PlannedPage> =>
        this.#plan(page, rules, { bucket: bucket.name, action }),
      async ({ due, last }: PlannedPage): Promise<boolean> => {
        const acted = await this.#actOn(due, { bucket, setting });
        const whole = acted === due.length;
        // An unfinished page is repeated: removed candidates are no longer due.
        if (whole && !this.#options.dryRun)
          await this.#remember({ bucket: bucket.name, action, start: last });
        await this.#options.onProgress?.(this.report(false));
        return whole;
      },
    ]);
    const pages = candidatesOf(metadata, bucket, action, from, this.#onDamage);
    for await (const whole of steps(pages)) if (!whole) return false;
    return true;
  }

  async #plan(
    page: readonly Candidate[],
    rules: RuleSchedule,
    about: { readonly bucket: string; readonly action: LifecycleAction },
  ): Promise<PlannedPage> {
    const due: Due[] = [];
    for (const candidate of page) {
      // A thousand rules for a thousand objects take long enough to delay requests.
      await this.#yieldIfDue();
      const { key, time, tags, found } = candidate;
      const next = rules.firstToAct(key, time, tags);
      if (next === undefined || next.at > this.#now) continue;
      const uploadId = 'upload' in found ? found.uploadId : undefined;
      due.push({ step: { ...about, key, uploadId, ruleId: next.ruleId }, candidate });
    }
    this.#counts.examined += page.length;
    return { due, last: after((page.at(-1) as Candidate).recordKey) };
  }

  /**
   * Removes what is due, many at a time. Returns how many were processed before the limit was
   * reached.
   */
  async #actOn(due: readonly Due[], subject: Subject): Promise<number> {
    const { maxDeletions = Number.POSITIVE_INFINITY } = this.#options;
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const left = maxDeletions - this.#counts.deleted - this.#counts.aborted;
      if (left <= 0) return at;
      const batch = due.slice(at, at + Math.min(AT_ONCE, left));
      await Promise.all(batch.map((item) => this.#act(item, subject)));
      if (batch.length < AT_ONCE && at + batch.length < due.length) return at + batch.length;
    }
    return due.length;
  }

  async #act({ step, candidate }: Due, subject: Subject): Promise<void> {
    const { dryRun, onAction } = this.#options;
    if (!dryRun && !(await this.#remove(candidate, subject))) {
      this.#counts.spared++;
      return;
    }
    this.#counts[step.action === 'DeleteObject' ? 'deleted' : 'aborted']++;
    onAction?.(step);
  }

  /** Removes only the record that was examined, and only while the rules are unchanged. */
  async #remove({ key, found }: Candidate, { bucket, setting: rules }: Subject): Promise<boolean> {
    const store = this.#store;
    const same = { expect: [{ key: rules.key, version: rules.version }] };
    if ('upload' in found) {
      const { upload, uploadId } = found;
      const id = uploadRecords.parse(upload.key);
      const gone = mergeChanges(
        same,
        uploadRecords.expect(id, upload.version),
        uploadRecords.delete(id),
        dropUpload(store, uploadId, upload.value),
      );
      const removed = (await store.metadata.commit(gone)) !== undefined;
      if (removed) releaseUpload(store, id.bucketId);
      return removed;
    }
    const what = { kind: 'remove', key, before: found.object } as const;
    const context = { actor: LIFECYCLE, bucket, basis: same };
    return (await commit(store, changeObject(store, context, what))) !== undefined;
  }

  async #remember(cursor: LifecycleCursor): Promise<void> {
    await this.#store.metadata.commit(lifecycleCursorRecord.put(undefined, cursor));
  }
}

/** What a run applies to, as it was read. */
interface Subject {
  readonly bucket: Bucket;
  readonly setting: Stored<readonly LifecycleRule[]>;
}
