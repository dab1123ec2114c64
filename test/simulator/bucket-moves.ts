import { bucketName, grantName, livesName, objectName } from './names.js';
import { within } from './within.js';
import { changed, ends, type Moves, namesUnder, withoutUpload } from './world.js';

export const bucketMoves = {
  makeBucket:
    (bucket: string): Moves =>
    (world, progress) => {
      if (progress === '') return [{ world, progress: '+' }];
      // The host owns all buckets, and may create them again.
      if (world.has(bucketName(bucket))) return ends(world, 'ok');
      const lives = String(Number(world.get(livesName(bucket)) ?? 0) + 1);
      return ends(changed(world, { [bucketName(bucket)]: '', [livesName(bucket)]: lives }), 'ok');
    },

  /** Also removes the uploads of the bucket and its grant. */
  removeBucket: (bucket: string): Moves =>
    within('host', bucket, (world) => {
      if (namesUnder(world, `o/${bucket}/`).length > 0) return ends(world, 'BucketNotEmpty');
      const empty = namesUnder(world, `u/${bucket}/`).reduce(withoutUpload, world);
      const gone = { [bucketName(bucket)]: undefined, [grantName(bucket)]: undefined };
      return ends(changed(empty, gone), 'ok');
    }),

  /** Gives the grantee a grant, or revokes it. */
  grant: (bucket: string, given: boolean): Moves =>
    within('host', bucket, (world) =>
      ends(changed(world, { [grantName(bucket)]: given ? '' : undefined }), 'ok'),
    ),

  /** Removes the objects that a rule matches, each at its own moment. */
  lifecycle:
    (bucket: string, prefix: string): Moves =>
    (world, progress) => {
      if (progress === '') return [{ world, progress: '+' }];
      const due = namesUnder(world, objectName({ bucket, key: prefix }));
      return [
        ...due.map((name) => ({
          world: changed(world, {
            [name]: undefined,
            [`t${name.slice(1)}`]: undefined,
            [`l${name.slice(1)}`]: undefined,
          }),
        })),
        ...ends(world, 'ok'),
      ];
    },

  sweep: (): Moves => (world, progress) =>
    progress === '' ? [{ world, progress: '+' }] : ends(world, 'ok'),
};
