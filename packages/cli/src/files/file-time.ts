import { utimes } from 'node:fs/promises';

const SECOND = 1_000;
/** How far the clocks of two machines may differ. */
const TOLERANCE = 2 * SECOND;

/** The longest time for which changes of a file may leave its time as it is: FAT has even seconds. */
const COARSEST = 2 * SECOND;

/** Whether a file may have changed since an instant although its time is still the same. */
export const mayHideChange = ({ modified }: { modified: number }, since: number): boolean =>
  modified % SECOND === 0 && modified + COARSEST + TOLERANCE > since;

/** The start of this process. All that it knows of the storage is newer. */
export const STARTED = Date.now();

/** The times of objects are whole seconds. */
const secondOf = (object: number): number => Math.floor(object / SECOND) * SECOND;

/**
 * Whether a file was changed within the second of an object, so that it is unknown which is newer.
 * A downloaded file has whole seconds.
 */
export const isOfSameSecond = (file: number, object: number): boolean =>
  file % SECOND !== 0 && secondOf(file) === secondOf(object);

/** The time of a file whose object could be replaced by another of the same second. */
export const provisionalTime = (object: number): number => secondOf(object) - SECOND;

/**
 * Gives a file the modification time of the object whose data it has. `knownAt`: when the object had
 * that data. If its second was not over, the file gets an earlier time, so that it looks out of date
 * and the next `sync` compares the data.
 */
export async function setFileTime(path: string, object: number, knownAt: number): Promise<void> {
  const second = secondOf(object);
  const isFinal = second + SECOND + TOLERANCE <= knownAt;
  await utimes(path, new Date(), new Date(isFinal ? second : provisionalTime(object)));
}
