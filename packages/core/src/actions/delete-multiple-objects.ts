import type { Admitted } from '../engine/buckets/buckets.js';
import { givingWay } from '../engine/concurrency/give-way.js';
import { inParallel } from '../engine/concurrency/parallel.js';
import { checkObjectKey } from '../engine/names.js';
import { removeObject } from '../engine/objects/objects.js';
import { asStorageError, StorageError } from '../errors.js';
import { MAX_DELETE_OBJECTS } from '../limits.js';
import { action } from './action.js';
import { type Author, program } from './author.js';
import { isObject, parameter } from './parameter.js';

/** An object that was not deleted, and why. */
export interface DeleteFailure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

/** Deletions that run at the same time: they share commits. */
const AT_ONCE = 256;

/**
 * Deletes up to 1,000 objects. Each is asked about and deleted on its own; only failures are
 * answered. A key that is listed twice is deleted once.
 */
export const deleteMultipleObjects = action({
  name: 'DeleteMultipleObjects',
  on: 'bucket',
  permission: 'each',
  removes: true,
  takes: 'nothing',
  parameters: { objects: parameter<readonly Listed[]>(listedObjects).required() },

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
    // To decide waits for nothing, and may take long under a long list.
    const giveWay = givingWay();
    const allowed: { at: number; key: string; permit: Admitted }[] = [];
    for (const [at, key] of keys.entries()) {
      await giveWay();
      await attempt(at, key, async () => {
        checkObjectKey(key);
        allowed.push({ at, key, permit: await call.permitFor('WRITE', key) });
      });
    }
    await inParallel(allowed, AT_ONCE, ({ at, key, permit }) =>
      attempt(at, key, async () => {
        await giveWay();
        await removeObject(store, permit, key);
      }),
    );
    return { errors: outcomes.filter((failure) => failure !== undefined) };
  },
});

/** An object to delete. */
export interface Listed {
  readonly key: string;
}

/**
 * What other services take as a condition: delete the object only when it is still this one.
 * Without the check, an object that is newer would be deleted.
 */
const CONDITIONS = ['etag', 'size', 'lastmodified', 'lastmodifiedtime'];

/** A program may pass what listObjects returned, and means no condition by it. */
const OF_LISTINGS = ['key', 'versionId', 'lastModified', 'etag', 'size', 'storageClass', 'owner'];

function listedObjects(objects: unknown, author: Author): readonly Listed[] {
  const listed = objectList(objects, author);
  for (const object of listed) {
    refuse(object, (name) => author !== program && CONDITIONS.includes(name));
    if (author === program) program.requireMembers('An object to delete', object, OF_LISTINGS);
  }
  return listed;
}

function refuse(object: Listed, isCondition: (name: string) => boolean): void {
  const found = Object.keys(object).find((name) => {
    const bare = name.toLowerCase().replace(/[^a-z]/g, '');
    return bare.startsWith('if') || isCondition(bare);
  });
  if (found === undefined) return;
  const message = `Objects are deleted by their key. ${found} is not compared; leave it out.`;
  throw new StorageError('NotImplemented', message);
}

function objectList(objects: unknown, author: Author): readonly Listed[] {
  const listed = Array.isArray(objects) && objects.every(isListed);
  if (!listed || objects.length === 0) {
    const message = 'objects must be a list such as [{"key": "..."}] with at least one object.';
    throw author.malformed(message);
  }
  if (objects.length > MAX_DELETE_OBJECTS) {
    throw new StorageError('InvalidArgument', `At most ${MAX_DELETE_OBJECTS} objects at a time.`);
  }
  if (objects.some(({ versionId }) => (versionId ?? '') !== '')) {
    throw new StorageError('NotImplemented', 'Objects have no versions here.');
  }
  return objects;
}

const isListed = (item: unknown): item is { key: string; versionId?: unknown } =>
  isObject(item) && typeof item.key === 'string';
