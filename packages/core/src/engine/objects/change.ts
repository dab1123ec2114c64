import type { Change } from '../../contracts/metadata-store.js';
import { type Bucket, expectBucket, keepOpen } from '../buckets/buckets.js';
import type { Actor, EventOf } from '../events.js';
import { dropAcl, dropObject } from '../garbage/tombstones.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import type { Store } from '../store.js';
import { mergeChanges } from '../transaction.js';
import { withAclApart } from './object-acl.js';

/*
 * Every change of an object is built here: its effect on the object's record, on related records,
 * on tombstones and on listeners.
 */

type Found = Stored<ObjectRecord>;

/**
 * A change of an object. `before` is the record as it was read: the change takes effect only if it
 * is still current.
 */
export type ObjectChange =
  /** A new object that replaces any object with the key. The old one is dropped completely. */
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly before: Found | undefined;
      readonly after: ObjectRecord;
    }
  /** Different headers, metadata or storage class. The data stays the same. */
  | {
      readonly kind: 'edit';
      readonly key: string;
      readonly before: Found;
      readonly after: ObjectRecord;
    }
  /** A different access control list. */
  | {
      readonly kind: 'acl';
      readonly key: string;
      readonly before: Found;
      readonly after: ObjectRecord;
    }
  /** Different tags. */
  | {
      readonly kind: 'tags';
      readonly key: string;
      readonly before: Found;
      readonly after: ObjectRecord;
    }
  /** More data after the existing data, all of which `after` still names. */
  | {
      readonly kind: 'append';
      readonly key: string;
      readonly before: Found;
      readonly after: ObjectRecord;
    }
  /** A different key in the same bucket. Replaces any object with that key. */
  | {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      readonly before: Found;
      readonly replaced: Found | undefined;
    }
  | { readonly kind: 'remove'; readonly key: string; readonly before: Found };

export interface ObjectChangeContext {
  readonly actor: Actor;
  readonly bucket: Bucket;
  /** Other parts of the same commit, such as the one that adopts new data. */
  readonly also?: readonly Change[];
  /** What the change expects in addition to the object. Default: the bucket as it was read. */
  readonly basis?: Change;
}

export interface ChangedObject {
  readonly change: Change;
  readonly events: readonly EventOf[];
  /** The object as it is stored afterwards; a removed object as it was. */
  readonly record: ObjectRecord;
}

/** The commit that changes an object, and the events to emit afterwards. */
export function changeObject(
  store: Store,
  context: ObjectChangeContext,
  what: ObjectChange,
): ChangedObject {
  const { actor, bucket, also = [] } = context;
  const { record, parts, announced } = effectOf(store, bucket, what);
  // A bucket that gets an object must not be deleted, even if the deletion has started.
  const basis = context.basis ?? (what.kind === 'put' ? keepOpen(bucket) : expectBucket(bucket));
  const events = announced.map(({ name, ...about }): EventOf => {
    const { operation, principal, requestId } = actor;
    return { name, event: { operation, bucket: bucket.name, ...about, principal, requestId } };
  });
  return { record, events, change: mergeChanges(basis, ...parts, ...also) };
}

interface Effect {
  readonly record: ObjectRecord;
  readonly parts: readonly Change[];
  readonly announced: readonly Announcement[];
}

type Announcement =
  | { readonly name: 'object:created'; readonly key: string; readonly size: number; etag: string }
  | { readonly name: 'object:removed'; readonly key: string };

function effectOf(store: Store, bucket: Bucket, what: ObjectChange): Effect {
  const idOf = (key: string) => ({ bucketId: bucket.id, key });
  const same = (key: string, found: Found | undefined) =>
    objectRecords.expect(idOf(key), found?.version);
  const dropped = (found: Found | undefined) => (found ? dropObject(store, found.value) : {});

  switch (what.kind) {
    case 'put': {
      const { key, before } = what;
      const { record, change: list } = withAclApart(what.after);
      const put = objectRecords.put(idOf(key), record);
      const parts = [same(key, before), put, list, dropped(before)];
      return { record, parts, announced: [created(key, record)] };
    }
    case 'edit':
    case 'acl':
    case 'tags':
    case 'append': {
      const { key, before } = what;
      const { record, change: list } = withAclApart(what.after);
      const put = objectRecords.put(idOf(key), record);
      const oldList = record.aclId === before.value.aclId ? {} : dropAcl(store, before.value);
      const parts = [same(key, before), put, list, oldList];
      const isContent = what.kind === 'edit' || what.kind === 'append';
      const announced = isContent ? [created(key, record)] : [];
      return { record, parts, announced };
    }
    case 'move': {
      const { from, to, before, replaced } = what;
      const { value: record } = before;
      const moved = [objectRecords.put(idOf(to), record), objectRecords.delete(idOf(from))];
      // The target comes first: several objects may compete for it.
      const parts = [same(to, replaced), same(from, before), ...moved, dropped(replaced)];
      const announced = [removed(from), created(to, record)];
      return { record, parts, announced };
    }
    case 'remove': {
      const { key, before } = what;
      const parts = [same(key, before), objectRecords.delete(idOf(key)), dropped(before)];
      return { record: before.value, parts, announced: [removed(key)] };
    }
  }
}

const created = (key: string, { size, etag }: ObjectRecord): Announcement => ({
  name: 'object:created',
  key,
  size,
  etag,
});

const removed = (key: string): Announcement => ({ name: 'object:removed', key });

/** The time of a change that happens now: time never runs backwards for one key. */
export const timeOfChange = (store: Store, before: ObjectRecord | undefined): number =>
  Math.max(store.now(), before?.lastModified ?? 0);
