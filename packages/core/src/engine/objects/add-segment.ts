import type { Change } from '../../contracts/metadata-store.js';
import { asContent, segmentsOf } from '../content/content.js';
import { adopt } from '../garbage/reservations.js';
import { dropContent } from '../garbage/tombstones.js';
import type { Segment, Segments } from '../records/content.js';
import { manifestRecords } from '../records/manifests.js';
import type { Store } from '../store.js';
import { together } from '../transaction.js';
import type { Joiner } from './join-segments.js';

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
): Promise<{ content: Segments; change: Change }> {
  const { segmentsInRecord, maxSegments } = store.settings;
  const segments = [...content.segments, segment];
  if (segments.length <= segmentsInRecord) return { content: { ...content, segments }, change: {} };
  const earlier = [...(await segmentsOf(store, content))];
  // Until the next rewrite of the manifest, the record takes that many more.
  const tooMany = earlier.length + 1 + segmentsInRecord > maxSegments;
  const most = tooMany ? Math.max(1, Math.floor(maxSegments / 2)) : earlier.length;
  const { segments: left, dropped, reserved } = await joiner.join(earlier, most);
  const made = asContent(store, [...left, segment]);
  const old = content.manifest === undefined ? {} : manifestRecords.delete(content.manifest);
  const change = together(
    made.change,
    old,
    adopt(reserved),
    dropContent(store, { segments: dropped }),
  );
  return { content: made.content, change };
}
