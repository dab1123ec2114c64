import { callerId } from '../engine/concurrency/caller-id.js';
import { whenAborted } from '../engine/concurrency/when-aborted.js';
import { readExpirations } from '../engine/lifecycle/explain.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import type { Tag } from '../engine/records/tags.js';
import type { Expirations } from '../engine/store.js';
import type { Call } from './action.js';
import { isForOthers } from './cache-control.js';
import { storedHeader } from './parameters/object-headers.js';
import type { KnownOfObject } from './stored-object.js';

type KnownCall = Pick<
  Call<'object', never>,
  'store' | 'bucket' | 'conventions' | 'allows' | 'key' | 'signal'
>;
type Place = Pick<KnownCall, 'store' | 'bucket' | 'conventions'>;

const NONE: Expirations = () => undefined;
const NOTHING: KnownOfObject = {};

const hasRules = ({ conventions, bucket }: Place): boolean =>
  conventions.describesFully && bucket.record.settings.includes('lifecycle');

/** What the lifecycle rules of the bucket will do, if the response includes it. */
export const expirationsFor = (place: Place): Promise<Expirations> | Expirations =>
  hasRules(place) ? readExpirations(place.store, place.bucket) : NONE;

/**
 * What a response contains in addition to the object's record. Usually that is nothing, and nothing
 * is awaited.
 */
export function knownOf(
  call: KnownCall,
  record: ObjectRecord,
): Promise<KnownOfObject> | KnownOfObject {
  return tagsIn(call, record) === undefined && !hasRules(call) ? NOTHING : lookUp(call, record);
}

const tagsIn = ({ conventions }: Pick<Place, 'conventions'>, record: ObjectRecord) =>
  conventions.describesFully ? record.tags : undefined;

async function lookUp(call: KnownCall, record: ObjectRecord): Promise<KnownOfObject> {
  const expirationOf = hasRules(call) ? await expirationsToRead(call) : NONE;
  return { tagCount: await tagCountOf(call, record), expiration: expirationOf(call.key, record) };
}

/** How many tags a response reports. */
export async function tagCountOf(
  call: Pick<KnownCall, 'conventions' | 'allows'>,
  record: ObjectRecord,
): Promise<number | undefined> {
  const tags = tagsIn(call, record);
  return tags && !isShared(record) ? countTags(call, tags) : undefined;
}

/**
 * The same for a read. If many buckets have many rules, it may wait until they are prepared, and a
 * client may meanwhile send many requests and cancel them. Throws ServiceUnavailable when too many
 * are waiting.
 */
async function expirationsToRead(call: KnownCall): Promise<Expirations> {
  const { store, bucket } = call;
  const ready = store.knownExpirations.ready(bucket.id, bucket.version);
  if (ready !== undefined) return ready;
  return store.expirationLimit.run(callerId(bucket.record.owner), () => {
    const signal = call.signal();
    const reading = readExpirations(store, bucket);
    return signal === undefined ? reading : Promise.race([reading, whenAborted(signal)]);
  });
}

/**
 * Whether caches may serve one caller's response to everyone. The stored header is sent unchanged.
 */
const isShared = (record: ObjectRecord): boolean =>
  isForOthers(storedHeader(record, 'cache-control') ?? '');

/** How many tags there are, if the caller may read them. */
const countTags = async (
  call: Pick<KnownCall, 'allows'>,
  tags: readonly Tag[],
): Promise<number | undefined> =>
  (await call.allows('FULL_CONTROL', 'GetObjectTagging')) ? tags.length : undefined;
