const MIB = 1024 * 1024;
const MOST_PARTS = 10_000;
/** The minimum size of all parts but the last. */
const LEAST = 100 * 1024;

/** A large body has about this many parts, as long as they are neither very small nor very large. */
const PARTS = 32;
const SMALLEST = 8 * MIB;
const LARGEST = 32 * MIB;

/**
 * The size of the parts. Each part costs the server a file and a commit, and each one being sent is
 * in memory. The size is the same for each start of the same upload, so that its parts are
 * found again.
 */
export function partSizeFor(size = 0, given?: number): number {
  if (given !== undefined && !(Number.isInteger(given) && given >= LEAST)) {
    throw new RangeError(`partSize must be a whole number, at least ${LEAST}.`);
  }
  const wanted = given ?? Math.min(Math.max(size / PARTS, SMALLEST), LARGEST);
  const needed = Math.max(wanted, size / MOST_PARTS);
  return given === needed ? given : Math.ceil(needed / MIB) * MIB;
}
