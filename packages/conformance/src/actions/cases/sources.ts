import { md5 } from '../tools.js';
import type { Conditions, ObjectDescription } from '../values.js';

const OTHER = md5('something else');

/** Conditions on a source, some that hold and some that do not. */
export function conditionRows({ etag, lastModified }: ObjectDescription) {
  const at = (seconds: number) => new Date(Number(lastModified) + seconds * 1000).toUTCString();
  const met: Conditions[] = [
    { ifMatch: etag },
    { ifMatch: `"${etag}"` },
    { ifMatch: '*' },
    { ifMatch: `"${OTHER}", "${etag}"` },
    { ifNoneMatch: OTHER },
    { ifNoneMatch: `"${OTHER}"` },
    { ifUnmodifiedSince: at(0) },
    { ifUnmodifiedSince: at(1) },
    { ifModifiedSince: at(-1) },
  ];
  const unmet: Conditions[] = [
    { ifMatch: OTHER },
    { ifMatch: `"${OTHER}"` },
    { ifNoneMatch: etag },
    { ifNoneMatch: `"${etag}"` },
    { ifNoneMatch: '*' },
    { ifMatch: etag, ifNoneMatch: etag },
    { ifUnmodifiedSince: at(-1) },
    { ifModifiedSince: at(0) },
    { ifModifiedSince: at(3600) },
  ];
  return { met, unmet };
}

/** Keys that need encoding in the name of a source, or could be mistaken for something else. */
export const SOURCE_KEYS = ['plain', 'a/b c', '你好/é', 'what?', '100%', 'a+b', '/x', '..'];
