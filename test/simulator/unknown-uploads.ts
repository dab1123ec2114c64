import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Found } from './verify.js';
import { namesUnder, type World } from './world.js';

/**
 * The worlds that look like what was found, in which uploads that nobody was told of have a name
 * now: whoever lists them after the crash learns their ids.
 */
export function named(
  monitor: Monitor,
  { world: found, unknownUploads }: Found,
  newName: () => string,
): { worlds: World[]; uploads: KnownUpload[] } {
  const uploads = unknownUploads.map(([prefix, id]): KnownUpload => {
    const [, bucket = '', key = ''] = prefix.split('/');
    return {
      name: newName(),
      id,
      place: { bucket, key: key.replaceAll('~', '/') },
      parts: new Map(),
    };
  });
  const worlds = monitor.worldsLike(found).map((world) => {
    const next = new Map(world);
    const taken = new Set<string>();
    unknownUploads.forEach(([prefix], index) => {
      const old = namesUnder(world, prefix).find(
        (name) => !monitor.knownUploads.has(name.slice(prefix.length)) && !taken.has(name),
      );
      if (old === undefined) return;
      taken.add(old);
      next.delete(old);
      next.set(prefix + (uploads[index] as KnownUpload).name, '');
    });
    return next;
  });
  return { worlds, uploads };
}
