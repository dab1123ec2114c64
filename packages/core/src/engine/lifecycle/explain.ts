import { StorageError } from '../../errors.js';
import { type Bucket, readBucket } from '../buckets/buckets.js';
import { readSetting } from '../buckets/settings.js';
import { callerId } from '../concurrency/caller-id.js';
import { nextTurn } from '../concurrency/yielder.js';
import { findObject } from '../objects/objects.js';
import type { Expirations, Store } from '../store.js';
import { RuleSchedule } from './rules.js';

/** Which lifecycle rule will remove an object, and when. */
export interface LifecycleExplanation {
  readonly ruleId: string;
  /** The time from which a run of the rules removes the object. */
  readonly at: Date;
}

/**
 * Resolves to the enabled rule of a bucket that will remove an object first; to `undefined` if none
 * ever will.
 */
export async function explainLifecycle(
  store: Store,
  bucket: string,
  key: string,
): Promise<LifecycleExplanation | undefined> {
  const holder = await readBucket(store, bucket);
  const object = await findObject(store, holder, key);
  if (object === undefined) throw new StorageError('NoSuchKey');
  return (await readExpirations(store, holder))(key, object);
}

/**
 * Every change of the rules also changes the version of the bucket's record. So the rules are read
 * and prepared for comparison once for each version. For the largest rules this takes some 15 ms of
 * the main thread, so the rules of one owner are prepared one at a time, with pauses for others.
 */
export function readExpirations(store: Store, bucket: Bucket): Promise<Expirations> {
  const prepare = async () => {
    await nextTurn();
    const rules = (await readSetting(store, bucket, 'lifecycle')) ?? [];
    const schedule = new RuleSchedule(rules, 'DeleteObject');
    return { value: expirationsOf(schedule), bytes: schedule.bytes };
  };
  return store.knownExpirations.get(bucket.id, bucket.version, () =>
    store.prepareLimit.run(callerId(bucket.record.owner), prepare),
  );
}

const expirationsOf =
  (schedule: RuleSchedule): Expirations =>
  (key, { lastModified, tags }) => {
    const next = schedule.firstToAct(key, lastModified, tags);
    return next && { ruleId: next.ruleId, at: new Date(next.at) };
  };
