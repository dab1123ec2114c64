import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Change } from '../../contracts/metadata-store.js';
import { asContent, segmentsOf } from '../content/content.js';
import { BlobDamagedError } from '../content/damage.js';
import { adopt } from '../garbage/reservations.js';
import { dropContent } from '../garbage/tombstones.js';
import type { Segment, Segments } from '../records/content.js';
import { manifestRecords } from '../records/manifests.js';
import type { Store } from '../store.js';
import { mergeChanges } from '../transaction.js';
import type { Joined, Joiner } from './join-segments.js';
import { firstSmall, firstToJoin } from './small-segments.js';

interface Added {
  readonly content: Segments;
  readonly change: Change;
}

/**
 * Content with one more segment at the end. The manifest is rewritten only when the record has many
 * segments of its own, and segments are joined many at a time, so that the cost of an append does
 * not depend on the size of the object.
 */
export async function withSegment(
  store: Store,
  content: Segments,
  segment: Segment,
  joiner: Joiner,
): Promise<Added> {
  const { segmentsInRecord, maxSegments } = store.settings;
  const small = await withSmallJoined(store, content, joiner);
  if (small !== undefined) {
    const segments = [...small.segments, segment];
    return { content: { ...content, segments }, change: changeBy(store, small) };
  }
  const segments = [...content.segments, segment];
  if (segments.length <= segmentsInRecord) return { content: { ...content, segments }, change: {} };
  const all = [...(await segmentsOf(store, content))];
  const kept = smallEnd(store, content);
  const earlier = all.slice(0, all.length - kept.length);
  // The record has room for this many more until the manifest is rewritten again.
  const tooMany = all.length + 1 + segmentsInRecord > maxSegments;
  const most = tooMany ? Math.max(1, Math.floor(maxSegments / 2)) : earlier.length;
  const joined = await joiner.join(earlier, most);
  const made =
    kept.length === 0
      ? asContent(store, [...joined.segments, segment])
      : asContent(store, joined.segments, [...kept, segment]);
  const old = content.manifest === undefined ? {} : manifestRecords.delete(content.manifest);
  return { content: made.content, change: mergeChanges(made.change, old, changeBy(store, joined)) };
}

const changeBy = (store: Store, { reserved, dropped }: Joined): Change =>
  mergeChanges(adopt(reserved), dropContent(store, { segments: dropped }));

/**
 * The segments of the record, with small ones at the end joined if blobs cannot grow and there are
 * many. An append does not depend on this: if the data cannot be read, it continues without, and
 * readers of the object get the error.
 */
async function withSmallJoined(
  { blobs, settings }: Store,
  { segments }: Segments,
  joiner: Joiner,
): Promise<Joined | undefined> {
  if (blobs.append !== undefined) return undefined;
  const first = firstToJoin(segments, settings.segmentsInRecord);
  if (first === undefined) return undefined;
  try {
    return await joiner.joinFrom(segments, first);
  } catch (error) {
    if (error instanceof BlobDamagedError || error instanceof BlobNotFoundError) return undefined;
    throw error;
  }
}

/** Small segments stay in the record, to be joined later, when the others move to the manifest. */
function smallEnd({ blobs, settings }: Store, { segments }: Segments): readonly Segment[] {
  if (blobs.append !== undefined) return [];
  const first = firstSmall(segments);
  const fits = segments.length - first < settings.segmentsInRecord;
  return first > 0 && fits ? segments.slice(first) : [];
}
