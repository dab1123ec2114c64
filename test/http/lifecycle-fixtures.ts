import type { MetadataStore, ObjectStorage } from '@bucketware/core';

export const DAY = 24 * 60 * 60 * 1000;
export const bucket = 'bucket';

/** Noon, so that no test depends on midnight. */
export const NOON = Date.UTC(2026, 5, 15, 12);

/** A clock that stands still until it is set. */
export function stoppedClock(start = NOON) {
  let time = start;
  return {
    now: () => time,
    wait(milliseconds: number) {
      time += milliseconds;
    },
  };
}

export type Rule = Parameters<ObjectStorage['putBucketLifecycle']>[0]['rule'][number];

/** This many days after the last modification. */
export const days = (count: number) => ({ afterDays: count });
export const on = (date: string) => ({ at: new Date(date) });

/** A rule that deletes all objects of the bucket one day after their last modification. */
export const rule = (fields: Partial<Rule> = {}): Rule => ({
  id: 'rule',
  status: 'enabled',
  resource: [`${bucket}/*`],
  expires: days(1),
  action: 'DeleteObject',
  ...fields,
});

export const aborting = (fields: Partial<Rule> = {}): Rule =>
  rule({ id: 'abort', action: 'AbortMultipartUpload', ...fields });

export const setRules = (storage: ObjectStorage, ...rules: readonly Rule[]): Promise<void> =>
  storage.putBucketLifecycle({ bucket, rule: rules });

export async function fill(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  for (const key of keys) await storage.putObject({ bucket, key, body: key });
}

export async function keysOf(storage: ObjectStorage, name = bucket): Promise<string[]> {
  const keys: string[] = [];
  for (let marker = ''; ; ) {
    const { contents, isTruncated } = await storage.listObjects({ bucket: name, marker });
    keys.push(...contents.map(({ key }) => key));
    if (!isTruncated) return keys;
    marker = keys.at(-1) ?? '';
  }
}

export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `key-${String(at).padStart(5, '0')}`);

/** A metadata store that reports each call before it is made. */
export function watched(
  inner: MetadataStore,
  observer: {
    get?(key: string): void;
    list?(prefix: string): void | Promise<void>;
    commit?(deleted: readonly string[]): void | Promise<void>;
  },
): MetadataStore {
  return {
    async get(key) {
      observer.get?.(key);
      return inner.get(key);
    },
    getMany: (keys) => inner.getMany(keys),
    async list(range) {
      await observer.list?.(range.prefix);
      return inner.list(range);
    },
    async commit(change) {
      await observer.commit?.(change.delete ?? []);
      return inner.commit(change);
    },
    close: () => inner.close(),
  };
}
