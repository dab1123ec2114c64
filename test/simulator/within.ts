import { bucketName, grantName, livesName } from './names.js';
import { ends, type Move, type Moves, type World } from './world.js';

/** Who does something: the host, who may do all, or a client who needs the grant of a bucket. */
export type Who = 'host' | 'grantee';

/** Which of the buckets of that name is there. */
export const lifeOf = (world: World, bucket: string): string | undefined =>
  world.has(bucketName(bucket)) ? world.get(livesName(bucket)) : undefined;

export const isGranted = (world: World, who: Who, bucket: string): boolean =>
  who === 'host' || world.has(grantName(bucket));

/** How an operation finds its bucket and is admitted. Undefined: it has been. */
export function admission(
  who: Who,
  bucket: string,
  world: World,
  progress: string,
): readonly Move[] | undefined {
  const life = lifeOf(world, bucket);
  if (progress === '') {
    if (life === undefined) return ends(world, 'NoSuchBucket');
    return [{ world, progress: who === 'host' ? `${life}!` : `${life}?` }];
  }
  if (!/^\d+\?$/.test(progress)) return undefined;
  // Its list of grants goes with it: either may be noticed first.
  if (progress !== `${life}?`) return ends(world, 'NoSuchBucket', 'AccessDenied');
  return isGranted(world, who, bucket)
    ? [{ world, progress: `${life}!` }]
    : ends(world, 'AccessDenied');
}

/**
 * What was admitted is what is committed. The first move of an operation finds a bucket, and from
 * then on it works in this one only, whatever has its name later. A grantee is admitted at an
 * instant at which the grant is there; and it is there again whenever anything changes or is shown.
 *
 * `gone`: what may be answered besides NoSuchBucket once the bucket is gone.
 */
export const within =
  (who: Who, bucket: string, moves: Moves, ...gone: readonly string[]): Moves =>
  (world, progress) => {
    const admitted = admission(who, bucket, world, progress);
    if (admitted !== undefined) return admitted;
    const end = progress.indexOf('!') + 1;
    const [found, come] = [progress.slice(0, end), progress.slice(end)];
    const denied = who === 'host' ? [] : ends(world, 'AccessDenied');
    if (`${lifeOf(world, bucket)}!` !== found) {
      return [...ends(world, 'NoSuchBucket', ...gone), ...denied];
    }
    const all = moves(world, come).map((move) => onFrom(move, found));
    if (isGranted(world, who, bucket)) return all;
    return [...denied, ...all.filter((move) => tellsNothing(move, world))];
  };

const onFrom = (move: Move, found: string): Move =>
  move.progress === undefined ? move : { ...move, progress: found + move.progress };

/** Errors tell whoever was admitted once what was wrong with the request. */
export const tellsNothing = ({ world, result }: Move, before: World): boolean =>
  world === before && (result === undefined || /^[A-Z][a-z]/.test(result));
