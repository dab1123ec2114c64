import type { Grant } from './acls.js';
import { isGrants } from './acls.js';
import { RecordKind } from './kind.js';
import { type Check, isNumber, isText, listOf, oneOf, optional, shape } from './shape.js';
import { isTags, type Tag } from './tags.js';

/** One CORS rule, in the wire format. */
export interface CorsRule {
  /** A name that the author of the rule chose. Not every dialect has one. */
  readonly ruleId?: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders?: readonly string[];
  readonly allowedExposeHeaders?: readonly string[];
  readonly maxAgeSeconds?: number;
}

/** One lifecycle rule of a bucket. */
export interface LifecycleRule {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  /**
   * `<bucket>/` or `<bucket>/*` for everything, `<bucket>/<prefix>/*` for everything below the
   * prefix.
   */
  readonly resource: readonly string[];
  /** The rule applies only to objects that have all of these tags. */
  readonly tags?: readonly Tag[];
  /** In which of several forms the rule was written. Only the dialect of the rule reads this. */
  readonly spelling?: string;
  /** If it is absent or empty, the rule acts at once. Dialects write the two cases differently. */
  readonly expires?: Expiry;
  readonly action: LifecycleAction;
}

/** When a rule acts. At most one of the two is set. */
export interface Expiry {
  /** Days after the last modification of an object, or the start of an upload. */
  readonly afterDays?: number;
  /** Milliseconds since 1970. */
  readonly at?: number;
}

export type LifecycleAction = 'DeleteObject' | 'AbortMultipartUpload';

export interface BucketSettings {
  readonly acl: readonly Grant[];
  readonly cors: readonly CorsRule[];
  readonly lifecycle: readonly LifecycleRule[];
  readonly tags: readonly Tag[];
}

export type SettingName = keyof BucketSettings;

const isTexts = listOf<string>(isText);

const isCorsRule: Check = shape<CorsRule>({
  ruleId: optional(isText),
  allowedOrigins: isTexts,
  allowedMethods: isTexts,
  allowedHeaders: optional(isTexts),
  allowedExposeHeaders: optional(isTexts),
  maxAgeSeconds: optional(isNumber),
});

const isLifecycleRule: Check = shape<LifecycleRule>({
  id: isText,
  status: oneOf('enabled', 'disabled'),
  resource: isTexts,
  tags: optional(isTags),
  spelling: optional(isText),
  expires: optional(shape<Expiry>({ afterDays: optional(isNumber), at: optional(isNumber) })),
  action: oneOf('DeleteObject', 'AbortMultipartUpload'),
});

/** One setting of a bucket, by the bucket's id. */
const setting = <Name extends SettingName>(
  name: Name,
  fits: (value: unknown) => value is BucketSettings[Name],
): RecordKind<string, BucketSettings[Name]> =>
  new RecordKind({
    name: `a bucket's setting ${name}`,
    prefix: 'x/',
    key: (bucketId) => `x/${bucketId}/${name}`,
    parse: (key) => key.slice(2, key.indexOf('/', 2)),
    fits,
  });

export const settingRecords: {
  readonly [Name in SettingName]: RecordKind<string, BucketSettings[Name]>;
} = {
  acl: setting('acl', isGrants),
  cors: setting('cors', listOf(isCorsRule)),
  lifecycle: setting('lifecycle', listOf(isLifecycleRule)),
  tags: setting('tags', isTags),
};
