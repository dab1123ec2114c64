import { listName, objectName, type Place } from './names.js';
import { type Who, within } from './within.js';
import { ends, type Moves, type World } from './world.js';

export const parse = (object: string) => ({
  type: object[0] as 'N' | 'A',
  content: object.slice(1),
});

/** An object's own list replaces that of its bucket when the object is read. */
export const isHidden = (world: World, who: Who, at: Place): 'AccessDenied' | undefined =>
  who === 'grantee' && world.has(listName(at)) ? 'AccessDenied' : undefined;

/**
 * Finds the bucket of a source and later reads the source. The progress then has the content, see
 * {@link contentOf}. `take` returns the content that is used, or an error.
 */
export function reading(
  who: Who,
  from: Place,
  take: (object: ReturnType<typeof parse>) => string,
): Moves {
  const read = within(who, from.bucket, (world) => {
    const object = world.get(objectName(from));
    const hidden = isHidden(world, who, from);
    if (object === undefined || hidden) return ends(world, hidden ?? 'NoSuchKey');
    const taken = take(parse(object));
    return ends(world, /^\d/.test(taken) ? `=${taken}` : taken);
  });
  return (world, progress) =>
    read(world, progress).map(({ result, ...move }) =>
      result?.startsWith('=') ? { ...move, progress: result } : { ...move, result },
    );
}

export const contentOf = (progress: string): string | undefined =>
  progress.startsWith('=') ? progress.slice(1) : undefined;
