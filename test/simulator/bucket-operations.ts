import { moves } from './moves.js';
import { answered, BUCKETS, GRANTS, type Planned, type Shared } from './planned.js';

const HOUR = 3_600_000;
const bucket = BUCKETS[1];

/** Operations of the host on whole buckets, and background work. */
export function bucketOperations(shared: Shared) {
  const makeBucket = (): Planned => ({
    bucket,
    name: 'put bucket',
    moves: moves.makeBucket(bucket),
    call: (storage) => answered(() => storage.putBucket({ bucket })),
  });
  const removeBucket = (): Planned => ({
    bucket,
    name: 'delete bucket',
    moves: moves.removeBucket(bucket),
    call: (storage) => answered(() => storage.deleteBucket({ bucket })),
  });
  const grant = (of: string): Planned => ({
    bucket: of,
    name: `grant ${of}`,
    moves: moves.grant(of, true),
    call: (storage) =>
      answered(() => storage.putBucketAcl({ bucket: of, accessControlList: GRANTS })),
  });
  const revoke = (of: string): Planned => ({
    bucket: of,
    name: `revoke ${of}`,
    moves: moves.grant(of, false),
    call: (storage) => answered(() => storage.putBucketAcl({ bucket: of, acl: 'private' })),
  });
  const lifecycle = (): Planned => ({
    name: 'lifecycle',
    moves: moves.lifecycle(BUCKETS[0], 't/'),
    call: (storage) => answered(() => storage.lifecycle.run()),
  });
  const sweep = (): Planned => ({
    name: 'sweep',
    moves: moves.sweep(),
    call(storage) {
      // Sometimes a machine sleeps for days while requests are under way.
      const { random } = shared;
      shared.wait(random.chance(0.03) ? 8 * 24 * HOUR : random.chance(0.7) ? HOUR : 0);
      return answered(() => storage.sweep());
    },
  });
  return { makeBucket, removeBucket, grant, revoke, lifecycle, sweep };
}
