const MIB = 1024 * 1024;
const MOST_PARTS = 10_000;
/** The minimum size of all parts but the last. */
const LEAST = 100 * 1024;

/**
 * The size of the parts. It is the same for each start of the same upload, so that its parts are
 * found again.
 */
export function partSizeFor(size: number | undefined, given: number | undefined): number {
  if (given !== undefined && !(Number.isInteger(given) && given >= LEAST)) {
    throw new RangeError(`partSize must be a whole number of bytes, at least ${LEAST}.`);
  }
  const wanted = given ?? 8 * MIB;
  const least = Math.ceil((size ?? 0) / MOST_PARTS);
  return least <= wanted ? wanted : Math.ceil(least / MIB) * MIB;
}
