import chain from 'stream-chain/core';
import type { Change, Entry } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import { asBucket, type Bucket, readBucket } from '../buckets/buckets.js';
import { readSetting } from '../buckets/settings.js';
import { dropObject, dropUpload } from '../garbage/garbage.js';
import { findObject } from '../objects/objects.js';
import {
  after,
  BUCKET_PREFIX,
  bucketIdOf,
  LIFECYCLE_KEY,
  objectPrefix,
  settingKey,
  uploadPrefix,
} from '../records/keys.js';
import type { ObjectRecord, UploadRecord } from '../records/types.js';
import { pages, type Store, together } from '../store.js';
import { makeRoom } from '../uploads/upload-room.js';
import { Judges, type LifecycleAction, type LifecycleRule } from './rules.js';

export interface LifecycleOptions {
  /** The time to judge by. Default: the storage's clock. */
  readonly now?: Date | undefined;
  /** Reports what would be done, and does nothing. */
  readonly dryRun?: boolean | undefined;
  /** The run ends after so many deletions; the next one goes on there. Default: no limit. */
  readonly maxDeletions?: number | undefined;
  /** Told after each page. A promise is waited for. */
  readonly onProgress?: ((report: LifecycleReport) => void | Promise<void>) | undefined;
  /** Told each object and upload that is, or would be, removed. */
  readonly onAction?: ((action: LifecycleStep) => void) | undefined;
}

export interface LifecycleReport {
  /** Objects and uploads that a rule was asked about. */
  readonly judged: number;
  readonly deleted: number;
  readonly aborted: number;
  /** Due, but changed before they could be removed: they live on. */
  readonly spared: number;
  /** False: the run ended at its limit, and the next one goes on from there. */
  readonly complete: boolean;
}

/** What a run did, or would do, to one object or upload. */
export interface LifecycleStep {
  readonly action: LifecycleAction;
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string | undefined;
  readonly ruleId: string;
}

/** Where a run was when it ended early: a record key. */
interface Cursor {
  readonly bucket: string;
  readonly action: LifecycleAction;
  readonly start: string;
}

interface Due extends LifecycleStep {
  readonly entry: Entry;
}

const ACTIONS: readonly LifecycleAction[] = ['DeleteObject', 'AbortMultipartUpload'];
const AT_ONCE = 64;

/** Judges every object and upload of buckets with rules, a page at a time, and removes what is due. */
export async function runLifecycle(
  store: Store,
  options: LifecycleOptions,
): Promise<LifecycleReport> {
  const run = new Run(store, options);
  let cursor = options.dryRun ? undefined : await readCursor(store);
  for await (const page of pages(store.metadata, BUCKET_PREFIX)) {
    for (const entry of page) {
      const bucket = asBucket(entry.key.slice(BUCKET_PREFIX.length), entry);
      if (!bucket.record.settings.includes('lifecycle')) continue;
      if (cursor !== undefined && bucket.name < cursor.bucket) continue;
      for (const action of ACTIONS) {
        const resumes = cursor?.bucket === bucket.name;
        if (resumes && ACTIONS.indexOf(action) < ACTIONS.indexOf(cursor?.action ?? action))
          continue;
        const start = resumes && cursor?.action === action ? cursor.start : undefined;
        if (!(await run.judgeBucket(bucket, action, start))) return run.report(false);
      }
      cursor = undefined;
    }
  }
  if (!options.dryRun) await store.metadata.commit({ delete: [LIFECYCLE_KEY] });
  return run.report(true);
}

async function readCursor(store: Store): Promise<Cursor | undefined> {
  return (await store.metadata.get(LIFECYCLE_KEY))?.value as Cursor | undefined;
}

/** A page of records after the rules were asked. */
interface JudgedPage {
  readonly due: readonly Due[];
  readonly last: string;
}

class Run {
  readonly #store: Store;
  readonly #options: LifecycleOptions;
  readonly #now: number;
  readonly #counts = { judged: 0, deleted: 0, aborted: 0, spared: 0 };

  constructor(store: Store, options: LifecycleOptions) {
    this.#store = store;
    this.#options = options;
    this.#now = options.now === undefined ? store.now() : +options.now;
  }

  report = (complete: boolean): LifecycleReport => ({ ...this.#counts, complete });

  /** False when the limit was reached. */
  async judgeBucket(bucket: Bucket, action: LifecycleAction, from?: string): Promise<boolean> {
    const { metadata } = this.#store;
    const { name } = bucket;
    const setting = await metadata.get(settingKey(bucket.id, 'lifecycle'));
    const rules = new Judges((setting?.value ?? []) as readonly LifecycleRule[], action);
    if (setting === undefined || rules.isEmpty) return true;
    const base = (action === 'DeleteObject' ? objectPrefix : uploadPrefix)(bucket.id);
    // Another bucket may have had the name when the run ended.
    const start = from?.startsWith(base) ? from : undefined;
    const steps = chain([
      (page: Entry[]): JudgedPage => this.#judge(page, rules, { bucket: name, action, base }),
      async ({ due, last }: JudgedPage): Promise<boolean> => {
        const acted = await this.#actOn(due, setting);
        const whole = acted === due.length;
        // A page that was not finished is judged again: what is gone is not due any more.
        if (whole && !this.#options.dryRun)
          await this.#remember({ bucket: name, action, start: last });
        await this.#options.onProgress?.(this.report(false));
        return whole;
      },
    ]);
    for await (const whole of steps(pages(metadata, base, start))) if (!whole) return false;
    return true;
  }

  #judge(
    page: readonly Entry[],
    rules: Judges,
    { bucket, action, base }: { bucket: string; action: LifecycleAction; base: string },
  ): JudgedPage {
    const due: Due[] = [];
    for (const entry of page) {
      const name = entry.key.slice(base.length);
      const end = action === 'DeleteObject' ? name.length : name.indexOf('\0');
      const key = name.slice(0, end);
      const verdict = rules.firstToAct(key, timeOf(entry, action));
      if (verdict === undefined || verdict.at > this.#now) continue;
      const uploadId = action === 'DeleteObject' ? undefined : name.slice(end + 1);
      due.push({ action, bucket, key, uploadId, ruleId: verdict.rule.id, entry });
    }
    this.#counts.judged += page.length;
    return { due, last: after(page.at(-1)?.key ?? base) };
  }

  /** Removes what is due, many at a time. Returns how many were dealt with before the limit. */
  async #actOn(due: readonly Due[], setting: Entry): Promise<number> {
    const { maxDeletions = Number.POSITIVE_INFINITY } = this.#options;
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const left = maxDeletions - this.#counts.deleted - this.#counts.aborted;
      if (left <= 0) return at;
      const batch = due.slice(at, at + Math.min(AT_ONCE, left));
      await Promise.all(batch.map((item) => this.#act(item, setting)));
      if (batch.length < AT_ONCE && at + batch.length < due.length) return at + batch.length;
    }
    return due.length;
  }

  async #act({ entry, ...step }: Due, setting: Entry): Promise<void> {
    const { dryRun, onAction } = this.#options;
    if (!dryRun && !(await this.#remove(step, entry, setting))) {
      this.#counts.spared++;
      return;
    }
    this.#counts[step.action === 'DeleteObject' ? 'deleted' : 'aborted']++;
    onAction?.(step);
  }

  /** Only the very record that was judged, and only while the rules are the same. */
  async #remove(
    step: LifecycleStep,
    { key, version, value }: Entry,
    rules: Entry,
  ): Promise<boolean> {
    const { metadata, events } = this.#store;
    const expect = [
      { key, version },
      { key: rules.key, version: rules.version },
    ];
    const gone: Change =
      step.uploadId === undefined
        ? dropObject(this.#store, value as ObjectRecord)
        : dropUpload(this.#store, step.uploadId, value as UploadRecord);
    const change = together({ expect, delete: [key] }, gone);
    const removed = (await metadata.commit(change)) !== undefined;
    if (removed && step.uploadId !== undefined) makeRoom(this.#store, bucketIdOf(key));
    if (removed && step.uploadId === undefined) {
      const about = { bucket: step.bucket, key: step.key, principal: undefined, requestId: '' };
      events.emit('object:removed', { operation: 'Lifecycle', ...about });
    }
    return removed;
  }

  async #remember(cursor: Cursor): Promise<void> {
    await this.#store.metadata.commit({ put: [{ key: LIFECYCLE_KEY, value: cursor }] });
  }
}

/** Objects count from their last modification, uploads from their start. */
const timeOf = ({ value }: Entry, action: LifecycleAction): number =>
  action === 'DeleteObject'
    ? (value as ObjectRecord).lastModified
    : (value as UploadRecord).initiated;

/** Which rule acts on an object, and when; `undefined` when none ever will. */
export interface LifecycleExplanation {
  readonly ruleId: string;
  readonly at: Date;
}

/** What the enabled rules of a bucket have in store for one object. */
export async function explainLifecycle(
  store: Store,
  bucket: string,
  key: string,
): Promise<LifecycleExplanation | undefined> {
  const holder = await readBucket(store, bucket);
  const object = await findObject(store, holder, key);
  if (object === undefined) throw new StorageError('NoSuchKey');
  const rules = (await readSetting(store, holder, 'lifecycle')) ?? [];
  const verdict = new Judges(rules, 'DeleteObject').firstToAct(key, object.lastModified);
  return verdict && { ruleId: verdict.rule.id, at: new Date(verdict.at) };
}
