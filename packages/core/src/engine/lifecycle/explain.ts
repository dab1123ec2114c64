import { StorageError } from '../../errors.js';
import { type Bucket, readBucket } from '../buckets/buckets.js';
import { readSetting } from '../buckets/settings.js';
import { findObject } from '../objects/objects.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import { RuleSchedule } from './rules.js';

/** Which rule applies to an object, and when; `undefined` when none ever will. */
export interface LifecycleExplanation {
  readonly ruleId: string;
  readonly at: Date;
}

/** What the enabled rules of a bucket will do to one object. */
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

/** Says of objects of a bucket what its rules will do to them. */
export type Expirations = (key: string, object: ObjectRecord) => LifecycleExplanation | undefined;

export async function readExpirations(store: Store, bucket: Bucket): Promise<Expirations> {
  const rules = await readSetting(store, bucket, 'lifecycle');
  if (rules === undefined) return () => undefined;
  const schedule = new RuleSchedule(rules, 'DeleteObject');
  return (key, { lastModified, tags }) => {
    const next = schedule.firstToAct(key, lastModified, tags);
    return next && { ruleId: next.rule.id, at: new Date(next.at) };
  };
}
