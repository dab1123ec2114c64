import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Found } from './verify.js';
import { namesUnder, type World } from './world.js';

/**
 * Names the uploads that no client knew before the crash: whoever lists them now learns their ids.
 * Returns them with the worlds that match what was found.
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
