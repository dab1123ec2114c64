import { document, KIB, type Read } from '../document.js';
import { MalformedXmlError } from '../malformed.js';
import {
  fields,
  flag,
  many,
  one,
  oneOf,
  optional,
  refined,
  text,
  token,
  whole,
} from '../shapes.js';
import { tag } from './tagging.js';

const conditions = {
  Prefix: optional(text),
  ObjectSizeGreaterThan: optional(whole),
  ObjectSizeLessThan: optional(whole),
};

const andFields = fields({ ...conditions, Tag: many(tag, 0, 50) });

/** Without a condition, a rule would apply to everything. */
const and = refined(andFields, (read) => {
  const { Tag, ...others } = read;
  if (Tag.length > 0 || Object.keys(others).length > 0) return read;
  throw new MalformedXmlError('And needs conditions.');
});

const filterFields = fields({
  ...conditions,
  Tag: optional(tag),
  And: optional(and),
});

/**
 * At most one condition, plus an empty Prefix, which some clients always send. Several conditions
 * must be in And, so that none can be overlooked.
 */
const filter = refined(filterFields, (read) => {
  const { Prefix, ...others } = read;
  if (Object.keys(others).length + (Prefix ? 1 : 0) <= 1) return read;
  throw new MalformedXmlError('Filter may have one element. Put several conditions into And.');
});

const ruleFields = fields({
  ID: optional(text),
  Prefix: optional(text),
  Filter: optional(filter),
  Status: one(oneOf('Enabled', 'Disabled')),
  Expiration: optional(
    fields({
      Date: optional(token),
      Days: optional(whole),
      ExpiredObjectDeleteMarker: optional(flag),
    }),
  ),
  Transition: many(
    fields({ Date: optional(token), Days: optional(whole), StorageClass: one(token) }),
    0,
    100,
  ),
  NoncurrentVersionExpiration: optional(
    fields({ NoncurrentDays: optional(whole), NewerNoncurrentVersions: optional(whole) }),
  ),
  NoncurrentVersionTransition: many(
    fields({
      NoncurrentDays: optional(whole),
      NewerNoncurrentVersions: optional(whole),
      StorageClass: one(token),
    }),
    0,
    100,
  ),
  AbortIncompleteMultipartUpload: optional(fields({ DaysAfterInitiation: one(whole) })),
});

const rule = refined(ruleFields, (read) => {
  // Without either, the rule would apply to every object.
  if ((read.Prefix === undefined) === (read.Filter === undefined)) {
    throw new MalformedXmlError('Rule needs either Filter or Prefix.');
  }
  return read;
});

/**
 * The body of PutBucketLifecycleConfiguration. An empty Filter or Prefix applies to every object.
 */
export const lifecycleConfiguration = document(
  'LifecycleConfiguration',
  fields({ Rule: many(rule, 1, 1000) }),
  { maxBytes: 2048 * KIB, maxNodes: 60_000 },
);

export type LifecycleConfiguration = Read<typeof lifecycleConfiguration>;
