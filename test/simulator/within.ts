import { bucketName, grantName, livesName } from './names.js';
import { ends, type Move, type Moves, type World } from './world.js';

/** The caller: the host, which may do everything, or a client that needs the grant of a bucket. */
export type Who = 'host' | 'grantee';

/** Which of the buckets that have had this name exists now. */
export const lifeOf = (world: World, bucket: string): string | undefined =>
  world.has(bucketName(bucket)) ? world.get(livesName(bucket)) : undefined;

export const isGranted = (world: World, who: Who, bucket: string): boolean =>
  who === 'host' || world.has(grantName(bucket));

/** How an operation finds its bucket and is admitted. `undefined` if it has been admitted. */
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
  // The list of grants is removed with the bucket, and either may be noticed first.
  if (progress !== `${life}?`) return ends(world, 'NoSuchBucket', 'AccessDenied');
  return isGranted(world, who, bucket)
    ? [{ world, progress: `${life}!` }]
    : ends(world, 'AccessDenied');
}

/**
 * What is committed must be what was admitted. The first move of an operation finds a bucket. From
 * then on, the operation uses only this bucket, even if another one gets the name. A grantee is
 * admitted at a moment at which the grant exists, and the grant must exist again whenever the
 * operation changes or reveals anything.
 *
 * `gone`: other possible results once the bucket is gone, besides NoSuchBucket.
 */
export const within =
  (who: Who, bucket: string, moves: Moves, ...gone: readonly string[]): Moves =>
  (world, progress) => {
    const admitted = admission(who, bucket, world, progress);
    if (admitted !== undefined) return admitted;
    const end = progress.indexOf('!') + 1;
    const [found, rest] = [progress.slice(0, end), progress.slice(end)];
    const denied = who === 'host' ? [] : ends(world, 'AccessDenied');
    if (`${lifeOf(world, bucket)}!` !== found) {
      return [...ends(world, 'NoSuchBucket', ...gone), ...denied];
    }
    const all = moves(world, rest).map((move) => onFrom(move, found));
    if (isGranted(world, who, bucket)) return all;
    return [...denied, ...all.filter((move) => tellsNothing(move, world))];
  };

const onFrom = (move: Move, found: string): Move =>
  move.progress === undefined ? move : { ...move, progress: found + move.progress };

/** Whether a move reveals and changes nothing. Errors about the request itself are allowed. */
export const tellsNothing = ({ world, result }: Move, before: World): boolean =>
  world === before && (result === undefined || /^[A-Z][a-z]/.test(result));
