import type { ObjectRecord } from '../engine/records/objects.js';
import type { Call } from './action.js';

/** How many tags an object has, if there are some and the caller may read them. */
export async function countTags(
  call: Pick<Call<'object', never>, 'allows'>,
  { tags }: ObjectRecord,
): Promise<number | undefined> {
  if (tags === undefined) return undefined;
  return (await call.allows('FULL_CONTROL', 'GetObjectTagging')) ? tags.length : undefined;
}
