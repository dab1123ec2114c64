import type { Admitted } from '../engine/buckets/buckets.js';
import { inParallel } from '../engine/concurrency/parallel.js';
import { createYielder } from '../engine/concurrency/yielder.js';
import { checkObjectKey } from '../engine/names.js';
import { removeObject } from '../engine/objects/objects.js';
import { asStorageError, type ErrorCode, StorageError } from '../errors.js';
import { MAX_DELETE_OBJECTS } from '../limits.js';
import { findUnknownName } from '../options.js';
import { action } from './action.js';
import { isObject, parameter } from './parameters/parameter.js';

/** An object that was not deleted, and why. */
export interface DeleteFailure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

/** The number of concurrent deletions. They share commits. */
const AT_ONCE = 256;

/** The number of concurrent calls of the app's own rule: as many as one caller may have. */
const CHECKED_AT_ONCE = 4;

/** An object to delete. */
export interface Listed {
  readonly key: string;
}

/** The fields of listObjects: a program may pass its results without intending a condition. */
const OF_LISTINGS = ['key', 'versionId', 'lastModified', 'etag', 'size', 'storageClass', 'owner'];

/**
 * Written by hand, like the reader of its JSON: with valibot for both, 1,000 objects took three
 * times as long.
 */
function objectList(objects: unknown, called: string, malformed: ErrorCode): readonly Listed[] {
  if (!Array.isArray(objects) || objects.length === 0) {
    const example = '[{"key": "..."}] with at least one object';
    throw new StorageError(malformed, `${called} must be a list such as ${example}.`);
  }
  if (objects.length > MAX_DELETE_OBJECTS) {
    throw new StorageError(
      'InvalidArgument',
      `Delete at most ${MAX_DELETE_OBJECTS} objects at a time.`,
    );
  }
  return Array.from(objects, (object: unknown, at) => {
    if (!isListed(object)) {
      throw new StorageError(malformed, `${called}[${at}] must be an object with a key.`);
    }
    refuseConditions(object);
    if ((object.versionId ?? '') !== '') {
      throw new StorageError('NotImplemented', 'Versions of objects are not supported.');
    }
    const unknownName = findUnknownName(object, OF_LISTINGS);
    if (unknownName === undefined) return { key: object.key };
    throw new StorageError('InvalidArgument', `${called}[${at}] has no field ${unknownName}`);
  });
}

export const isListed = (object: unknown): object is Listed & { readonly versionId?: unknown } =>
  isObject(object) && typeof object.key === 'string';

/**
 * Other services accept a condition with each object: delete it only if it is still the one
 * described. If the condition were ignored, a newer object would be deleted. Throws NotImplemented.
 */
export function refuseConditions(object: Listed, others: readonly string[] = []): void {
  const found = Object.keys(object).find((name) => {
    if (name === 'key') return false;
    const bare = name.toLowerCase().replace(/[^a-z]/g, '');
    return bare.startsWith('if') || others.includes(bare);
  });
  if (found === undefined) return;
  const message = `Objects are deleted by key only: ${found} would not be compared. Leave it out.`;
  throw new StorageError('NotImplemented', message);
}

/**
 * Deletes up to 1,000 objects. Each is checked and deleted independently; only failures are
 * returned. A key that is listed twice is deleted once.
 */
export const deleteMultipleObjects = action({
  name: 'DeleteMultipleObjects',
  on: 'bucket',
  permission: 'each',
  removes: true,
  isLong: true,
  takes: 'nothing',
  parameters: { objects: parameter<readonly Listed[]>(objectList).required() },

  async run(call) {
    const { store, input } = call;
    const keys = [...new Set(input.objects.map(({ key }) => key))];
    const outcomes: (DeleteFailure | undefined)[] = [];
    const attempt = async (at: number, key: string, work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        const { code, message, status } = asStorageError(error);
        if (status >= 500) throw error;
        outcomes[at] = { key, code, message };
      }
    };
    // The decision runs without waiting, so with a long access control list it could block other
    // requests.
    const yieldIfDue = createYielder();
    const allowed: { at: number; key: string; permit: Admitted }[] = [];
    await inParallel(keys.entries(), CHECKED_AT_ONCE, async ([at, key]) => {
      await yieldIfDue();
      call.signal()?.throwIfAborted();
      await attempt(at, key, async () => {
        checkObjectKey(key);
        allowed.push({ at, key, permit: await call.permitFor('WRITE', key) });
      });
    });
    let isChanged = false;
    const remove = ({ at, key, permit }: (typeof allowed)[number]) =>
      attempt(at, key, async () => {
        await yieldIfDue();
        await removeObject(store, permit, key);
        isChanged = true;
      });
    // A 503 would say that no object was deleted.
    const worst = ([first, ...others]: readonly unknown[]) => {
      const open = [first, ...others].find((error) => !isUnavailable(error));
      if (open !== undefined || !isChanged) return open ?? first;
      return new StorageError('InternalError', undefined, { cause: first });
    };
    await inParallel(allowed, AT_ONCE, remove, worst);
    return { errors: outcomes.filter((failure) => failure !== undefined) };
  },
});

const isUnavailable = (error: unknown): boolean =>
  asStorageError(error).code === 'ServiceUnavailable';
