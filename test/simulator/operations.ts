import { moves, type Place } from './moves.js';
import {
  answered,
  BUCKETS,
  bulk,
  fresh,
  KEYS,
  LONG_LIST,
  type Planned,
  type Shared,
} from './planned.js';
import { uploadOperations } from './upload-operations.js';

const HOUR = 3_600_000;

/** Lets one client do something, of all kinds of things. */
export function plan(shared: Shared): Planned {
  const { random, contents } = shared;
  const place = (): Place => ({
    bucket: random.chance(0.8) ? BUCKETS[0] : BUCKETS[1],
    key: random.pick(KEYS),
  });
  const at = place();
  const name = (what: string) => `${what} ${at.bucket}/${at.key}`;

  const put = (): Planned => {
    const bytes = shared.large && random.chance(0.3) ? bulk(shared) : fresh(shared);
    const createOnly = random.chance(0.2);
    const given = createOnly ? { ifNoneMatch: '*' } : {};
    return {
      name: name(`put ${bytes.length}`),
      moves: moves.put(at, `N${contents.nameOf(bytes)}`, createOnly),
      call: (storage) =>
        answered(() => storage.putObject({ ...at, ...given, body: shared.body(bytes) })),
    };
  };
  // Copies of a long object are objects of many segments that parts can be made of.
  const original = () =>
    shared.grows && random.chance(0.7) ? { bucket: BUCKETS[0], key: 'log' } : place();
  // Most appends go to one object, so that it gets long before something else happens to it.
  const log = (): Place => (random.chance(0.7) ? { bucket: BUCKETS[0], key: 'log' } : at);
  const create = (to = log()): Planned => {
    const bytes = fresh(shared, 40);
    return {
      name: `append-create ${to.bucket}/${to.key}`,
      moves: moves.put(to, `A${contents.nameOf(bytes)}`),
      call: (storage) =>
        answered(async () => {
          const { size } = await storage.appendObject({ ...to, body: shared.body(bytes) });
          shared.sizes.set(`${to.bucket}/${to.key}`, size);
        }),
    };
  };
  const append = (): Planned => {
    const to = log();
    const bytes = fresh(shared, 40);
    // Clients see each other's sizes; now and then one is out of date.
    const known = lastSize(shared, to);
    if (known === undefined) return shared.grows && random.chance(0.7) ? get(to) : create(to);
    const offset = random.chance(0.95) ? known : random.below(60);
    return {
      name: `append ${to.bucket}/${to.key} at ${offset}`,
      moves: moves.append(to, offset, bytes, contents),
      async call(storage) {
        let size = 0;
        const answer = await answered(async () => {
          const object = await storage.appendObject({ ...to, offset, body: shared.body(bytes) });
          size = object.size;
          shared.sizes.set(`${to.bucket}/${to.key}`, size);
        });
        if (answer !== 'ok') shared.sizes.delete(`${to.bucket}/${to.key}`);
        return answer === 'ok' ? `ok ${size}` : answer;
      },
    };
  };
  const get = (from: Place = at): Planned => ({
    name: `get ${from.bucket}/${from.key}`,
    moves: moves.get(from),
    async call(storage) {
      let found = '';
      const answer = await answered(async () => {
        const object = await storage.getObject(from);
        await shared.dawdle();
        found = (object.type[0] as string) + contents.describe(await object.bytes());
        if (object.type === 'Appendable')
          shared.sizes.set(`${from.bucket}/${from.key}`, object.size);
      });
      return answer === 'ok' ? found : answer;
    },
  });
  const remove = (): Planned => ({
    name: name('delete'),
    moves: moves.remove(at),
    call: (storage) => answered(() => storage.deleteObject(at)),
  });
  const removeMany = (): Planned => {
    const keys = ['a', 'b'];
    // JSON bodies are checked as they come; the door has no types for them.
    const objects = keys.map((key) => ({ key })) as never;
    return {
      name: `delete a and b of ${at.bucket}`,
      moves: moves.removeMany(at.bucket, keys),
      async call(storage) {
        let done = '';
        const answer = await answered(async () => {
          const { errors } = await storage.deleteMultipleObjects({ bucket: at.bucket, objects });
          done = keys
            .map((key) => (errors.some((error) => error.key === key) ? '0' : '1'))
            .join('');
        });
        return answer === 'ok' ? `ok ${done}` : answer;
      },
    };
  };
  const copy = (): Planned => {
    const source = original();
    if (source.bucket === at.bucket && source.key === at.key) return get();
    return {
      name: name(`copy ${source.bucket}/${source.key} to`),
      moves: moves.copy(source, at),
      call: (storage) => answered(() => storage.copyObject({ ...at, source })),
    };
  };
  const setAcl = (): Planned => ({
    name: name('put acl of'),
    moves: moves.setAcl(at),
    call: (storage) => answered(() => storage.putObjectAcl({ ...at, grantRead: LONG_LIST })),
  });
  const rename = (): Planned => {
    const from = random.pick(KEYS);
    return {
      name: name(`rename ${from} to`),
      moves: moves.rename(at.bucket, from, at.key),
      call: (storage) => answered(() => storage.renameObject({ ...at, from })),
    };
  };
  const { initiate, part, partCopy, complete, abort } = uploadOperations(shared, at);
  const bucket = BUCKETS[1];
  const makeBucket = (): Planned => ({
    name: 'put bucket',
    moves: moves.makeBucket(bucket),
    call: (storage) => answered(() => storage.putBucket({ bucket })),
  });
  const removeBucket = (): Planned => ({
    name: 'delete bucket',
    moves: moves.removeBucket(bucket),
    call: (storage) => answered(() => storage.deleteBucket({ bucket })),
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
      // Now and then a machine sleeps for days, with requests under way.
      shared.wait(random.chance(0.03) ? 8 * 24 * HOUR : random.chance(0.7) ? HOUR : 0);
      return answered(() => storage.sweep());
    },
  });

  const weighted: readonly (readonly [number, () => Planned])[] = [
    ...([
      [6, put],
      [shared.grows ? 1 : 2, create],
      [shared.grows ? 24 : 6, append],
      [4, get],
      [4, remove],
      [1, removeMany],
    ] as const),
    ...([
      [shared.grows ? 8 : 4, copy],
      [3, rename],
      [2, setAcl],
      [3, initiate],
      [5, part],
      [shared.grows ? 8 : 3, partCopy],
      [4, complete],
    ] as const),
    ...([
      [2, abort],
      [1, makeBucket],
      [1, removeBucket],
      [1, lifecycle],
      [6, sweep],
    ] as const),
  ];
  let left = random.below(weighted.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of weighted) {
    left -= weight;
    if (left < 0) return make();
  }
  return get();
}

const lastSize = ({ sizes }: Shared, { bucket, key }: Place): number | undefined =>
  sizes.get(`${bucket}/${key}`);
