import { type Expirations, readExpirations } from '../engine/lifecycle/explain.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import type { Call } from './action.js';
import type { KnownOfObject } from './stored-object.js';

type Asked = Pick<Call<'object', never>, 'store' | 'bucket' | 'conventions' | 'allows' | 'key'>;

/** How many tags an object has, if there are some and the caller may read them. */
async function countTags(
  call: Pick<Asked, 'allows' | 'conventions'>,
  { tags }: ObjectRecord,
): Promise<number | undefined> {
  if (tags === undefined || !call.conventions.describesFully) return undefined;
  return (await call.allows('FULL_CONTROL', 'GetObjectTagging')) ? tags.length : undefined;
}

const NONE: Expirations = () => undefined;

/** What the lifecycle rules of the bucket will do, where the caller is told. */
export const expirationsFor = async ({
  store,
  bucket,
  conventions,
}: Pick<Asked, 'store' | 'bucket' | 'conventions'>): Promise<Expirations> =>
  conventions.describesFully && bucket.record.settings.includes('lifecycle')
    ? readExpirations(store, bucket)
    : NONE;

/** What a reader of an object learns besides its record. */
export async function knownOf(call: Asked, record: ObjectRecord): Promise<KnownOfObject> {
  const expirationOf = await expirationsFor(call);
  return {
    tagCount: await countTags(call, record),
    expiration: expirationOf(call.key, record),
  };
}
