import { document, KIB, type Read } from '../document.js';
import { MalformedXmlError } from '../malformed.js';
import {
  fields,
  flag,
  many,
  one,
  oneOf,
  optional,
  type Shape,
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

/** Without a condition, a rule would be for everything. */
const and: Shape<ReturnType<typeof andFields>> = (element) => {
  if (element.children.length > 0) return andFields(element);
  throw new MalformedXmlError('And needs conditions.');
};

const filterFields = fields({
  ...conditions,
  Tag: optional(tag),
  And: optional(and),
});

/**
 * One condition at most, beside an empty Prefix, which some clients always send. Several are in And, so
 * that none of them can be overlooked.
 */
const filter: Shape<ReturnType<typeof filterFields>> = (element) => {
  const given = element.children.filter(({ name, text }) => name !== 'Prefix' || text !== '');
  if (given.length <= 1) return filterFields(element);
  throw new MalformedXmlError('Filter may have one element. Put several conditions into And.');
};

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

const rule: Shape<ReturnType<typeof ruleFields>> = (element) => {
  const read = ruleFields(element);
  // Without either it would be about every object.
  if ((read.Prefix === undefined) === (read.Filter === undefined)) {
    throw new MalformedXmlError('Rule needs either Filter or Prefix.');
  }
  return read;
};

/** The body of PutBucketLifecycleConfiguration. An empty Filter or Prefix is about every object. */
export const lifecycleConfiguration = document(
  'LifecycleConfiguration',
  fields({ Rule: many(rule, 1, 1000) }),
  2048 * KIB,
);

export type LifecycleConfiguration = Read<typeof lifecycleConfiguration>;
