/**
 * Files whose names start with this, in any case, contain incomplete downloads. Nothing else may be
 * stored under such a name: a program that derives paths from keys must refuse it.
 */
export const PARTIAL_PREFIX = '.bucketware-partial-';

/** Whether a name is reserved for incomplete downloads. Some file systems ignore the case. */
export const isPartialName = (name: string): boolean =>
  name.toLowerCase().startsWith(PARTIAL_PREFIX);
