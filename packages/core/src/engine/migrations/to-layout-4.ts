import type { Change, MetadataStore } from '../../contracts/metadata-store.js';
import { RecordDamagedError } from '../records/kind.js';
import { isText, listOf, oneOf, optional, shape } from '../records/shape.js';
import type { Migration } from './migration.js';

/*
 * Layout 3 stored lifecycle rules in the wire format. Buckets of layout 2 had no id: their records
 * are stored under their names.
 */

interface Bucket {
  readonly id?: string;
  readonly settings: readonly string[];
}

interface Rule {
  readonly id: string;
  readonly status: string;
  readonly resource: readonly string[];
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string } };
  readonly action: { readonly name: string };
}

const isBucket = shape<Bucket>({ id: optional(isText), settings: listOf(isText) });

const isRules = listOf<Rule>(
  shape<Rule>({
    id: isText,
    status: oneOf('enabled', 'disabled'),
    resource: listOf(isText),
    condition: shape<Rule['condition']>({
      time: optional(shape<{ dateGreaterThan?: string }>({ dateGreaterThan: optional(isText) })),
    }),
    action: shape<Rule['action']>({ name: oneOf('DeleteObject', 'AbortMultipartUpload') }),
  }),
);

/** Each bucket's record has its id, and lifecycle rules have times as numbers. */
export const toLayout4: Migration = {
  from: 3,
  prefix: 'b/',
  async migrate(metadata, { key, value, version }) {
    if (!isBucket(value)) throw new RecordDamagedError('a bucket', key);
    const id = value.id ?? key.slice('b/'.length);
    const rules = value.settings.includes('lifecycle') ? await rulesOf(metadata, id) : {};
    const { expect = [], put = [] } = rules;
    if (value.id !== undefined && put.length === 0) return {};
    return {
      expect: [{ key, version }, ...expect],
      put: [{ key, value: { ...value, id } }, ...put],
    };
  },
};

async function rulesOf(metadata: MetadataStore, bucketId: string): Promise<Change> {
  const key = `x/${bucketId}/lifecycle`;
  const entry = await metadata.get(key);
  if (entry === undefined) return {};
  const { value, version } = entry;
  if (!isRules(value)) throw new RecordDamagedError('lifecycle rules', key);
  const rules = value.map(({ id, status, resource, condition, action }) => ({
    ...{ id, status, resource },
    ...(condition.time && { expires: expiryOf(condition.time.dateGreaterThan, key) }),
    action: action.name,
  }));
  return { expect: [{ key, version }], put: [{ key, value: rules }] };
}

const AFTER_DAYS = /^\$\(lastModified\)\+P(\d+)D$/;

function expiryOf(date: string | undefined, key: string): object {
  if (date === undefined) return {};
  const days = AFTER_DAYS.exec(date)?.[1];
  if (days !== undefined) return { afterDays: Number(days) };
  const at = Date.parse(date);
  // A rule that acted at the wrong time would delete data too early.
  if (Number.isNaN(at)) throw new RecordDamagedError('lifecycle rules', key);
  return { at };
}
