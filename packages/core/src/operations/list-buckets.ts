import { after, bucketKey, ownedPrefix } from '../engine/records/keys.js';
import type { BucketRecord } from '../engine/records/types.js';
import { StorageError } from '../errors.js';
import { isoSeconds } from '../http/dates.js';
import { keyText, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

const PAGE = 1000;

/** The buckets that belong to the caller, by name; with `prefix`, those whose names start so. */
export const listBuckets = operation({
  name: 'ListBuckets',
  route: { method: 'GET', on: 'service' },
  permission: 'LIST',
  takes: 'nothing',
  input: { prefix: query('prefix', keyText).or('') },

  async run({ store: { metadata, settings }, input, principal: owner }) {
    if (owner === undefined) throw new StorageError('AccessDenied');
    const base = ownedPrefix(owner);
    const prefix = base + input.prefix;
    const names: string[] = [];
    for (let start: string | undefined; ; ) {
      const page = await metadata.list({ prefix, start, limit: PAGE });
      names.push(...page.map(({ key }) => key.slice(base.length)));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      start = after(last.key);
    }
    const entries = await metadata.getMany(names.map(bucketKey));
    const buckets = names.flatMap((name, at) => {
      const record = entries[at]?.value as BucketRecord | undefined;
      const location = settings.location;
      return record ? [{ name, location, creationDate: new Date(record.created) }] : [];
    });
    return { owner: { id: owner.userId, displayName: owner.userName }, buckets };
  },

  respond: ({ owner, buckets }) =>
    json(200, {
      owner,
      buckets: buckets.map((bucket) => ({
        ...bucket,
        creationDate: isoSeconds(+bucket.creationDate),
      })),
    }),
});
