import { bucketOperations } from './bucket-operations.js';
import { moves } from './moves.js';
import type { Place } from './names.js';
import {
  answered,
  BUCKETS,
  bulk,
  FEW_KEYS,
  fresh,
  KEYS,
  LONG_LIST,
  type Planned,
  type Shared,
} from './planned.js';
import { uploadOperations } from './upload-operations.js';
import type { Who } from './within.js';

/** Plans a random operation of a client. Some plans consist of several operations. */
export function plan(shared: Shared): readonly Planned[] {
  const { random, contents } = shared;
  const place = (): Place =>
    random.chance(0.65)
      ? { bucket: BUCKETS[0], key: random.pick(KEYS) }
      : { bucket: BUCKETS[1], key: random.pick(FEW_KEYS) };
  const at = place();
  const who: Who = random.chance(0.3) ? 'grantee' : 'host';
  const by = ({ bucket }: Pick<Place, 'bucket'> = at) => ({ who, bucket });
  const name = (what: string) => `${what} ${at.bucket}/${at.key}`;

  const put = (): Planned => {
    const bytes = shared.large && random.chance(0.3) ? bulk(shared) : fresh(shared);
    const createOnly = random.chance(0.2);
    const given = createOnly ? { ifNoneMatch: '*' } : {};
    return {
      ...by(),
      name: name(`put ${bytes.length}`),
      moves: moves.put(who, at, `N${contents.nameOf(bytes)}`, createOnly),
      call: (storage, send) =>
        answered(() => storage.putObject({ ...at, ...given, body: send(bytes) })),
    };
  };
  // Copies of a long object have many segments, which parts can be copied from.
  const original = () =>
    shared.grows && random.chance(0.7) ? { bucket: BUCKETS[0], key: 'log' } : place();
  // Most appends go to one object, so that it grows long before it is replaced.
  const log = (): Place => (random.chance(0.7) ? { bucket: BUCKETS[0], key: 'log' } : at);
  const create = (to = log()): Planned => {
    const bytes = fresh(shared, 40);
    return {
      ...by(to),
      name: `append-create ${to.bucket}/${to.key}`,
      moves: moves.put(who, to, `A${contents.nameOf(bytes)}`),
      call: (storage, send) =>
        answered(async () => {
          const { size } = await storage.appendObject({ ...to, body: send(bytes) });
          shared.sizes.set(`${to.bucket}/${to.key}`, size);
        }),
    };
  };
  const append = (): Planned => {
    const to = log();
    const bytes = fresh(shared, 40);
    // Clients know each other's sizes. Sometimes a size is out of date.
    const known = lastSize(shared, to);
    if (known === undefined) return shared.grows && random.chance(0.7) ? get(to) : create(to);
    const offset = random.chance(0.95) ? known : random.below(60);
    return {
      ...by(to),
      name: `append ${to.bucket}/${to.key} at ${offset}`,
      moves: moves.append(who, to, offset, bytes, contents),
      async call(storage, send) {
        let size = 0;
        const answer = await answered(async () => {
          const object = await storage.appendObject({ ...to, offset, body: send(bytes) });
          size = object.size;
          shared.sizes.set(`${to.bucket}/${to.key}`, size);
        });
        if (answer !== 'ok') shared.sizes.delete(`${to.bucket}/${to.key}`);
        return answer === 'ok' ? `ok ${size}` : answer;
      },
    };
  };
  const get = (from: Place = at): Planned => ({
    ...by(from),
    name: `get ${from.bucket}/${from.key}`,
    moves: moves.get(who, from),
    async call(storage) {
      let found = '';
      const answer = await answered(async () => {
        const object = await storage.getObject(from);
        await shared.dawdle(360);
        found = (object.type[0] as string) + contents.describe(await object.bytes());
        if (object.type === 'Appendable')
          shared.sizes.set(`${from.bucket}/${from.key}`, object.size);
      });
      return answer === 'ok' ? found : answer;
    },
  });
  const remove = (): Planned => ({
    ...by(),
    name: name('delete'),
    moves: moves.remove(who, at),
    call: (storage) => answered(() => storage.deleteObject(at)),
  });
  const removeMany = (as = who, { bucket } = at): Planned => {
    const keys = FEW_KEYS;
    // JSON bodies are checked when they arrive, so the type of the client does not fit here.
    const objects = keys.map((key) => ({ key })) as never;
    return {
      ...{ who: as, bucket },
      name: `delete a and b of ${bucket}`,
      moves: moves.removeMany(as, bucket, keys),
      async call(storage) {
        let done = '';
        const answer = await answered(async () => {
          const { errors } = await storage.deleteMultipleObjects({ bucket, objects });
          const marks = new Map(errors.map(({ key, code }) => [key, MARKS[code]]));
          done = keys.map((key) => marks.get(key) ?? '1').join('');
        });
        return answer === 'ok' ? `ok ${done}` : answer;
      },
    };
  };
  const copy = (): Planned => {
    const source = original();
    if (source.bucket === at.bucket && source.key === at.key) return get();
    return {
      ...by(),
      name: name(`copy ${source.bucket}/${source.key} to`),
      moves: moves.copy(who, source, at),
      call: (storage) => answered(() => storage.copyObject({ ...at, source })),
    };
  };
  const setAcl = (): Planned => ({
    bucket: at.bucket,
    name: name('put acl of'),
    moves: moves.setAcl(at),
    call: (storage) => answered(() => storage.putObjectAcl({ ...at, grantRead: LONG_LIST })),
  });
  const rename = (): Planned => {
    const from = random.pick(at.bucket === BUCKETS[0] ? KEYS : FEW_KEYS);
    return {
      ...by(),
      name: name(`rename ${from} to`),
      moves: moves.rename(who, at.bucket, from, at.key),
      call: (storage) => answered(() => storage.renameObject({ ...at, from })),
    };
  };
  const { initiate, part, partCopy, complete, abort } = uploadOperations(shared, who, at);
  const { makeBucket, removeBucket, grant, revoke, lifecycle, sweep } = bucketOperations(shared);
  const emptied = { bucket: BUCKETS[1], key: '' };
  const anew = (): Planned[] => [
    removeMany('host', emptied),
    removeBucket(),
    makeBucket(),
    ...(random.chance(0.5) ? [grant(emptied.bucket)] : []),
  ];

  const weighted: readonly (readonly [number, () => Planned | readonly Planned[]])[] = [
    ...([
      [6, put],
      [shared.grows ? 1 : 2, create],
      [shared.grows ? 24 : 6, append],
      [4, get],
      [4, remove],
      [1, () => removeMany()],
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
      [3, anew],
      [3, () => grant(at.bucket)],
      [3, () => revoke(at.bucket)],
      [1, lifecycle],
      [6, sweep],
    ] as const),
  ];
  let left = random.below(weighted.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of weighted) {
    left -= weight;
    if (left < 0) return [make()].flat();
  }
  return [get()];
}

/** See `removeMany` in moves.ts. */
const MARKS: Readonly<Record<string, string>> = {
  NoSuchKey: 'K',
  NoSuchBucket: 'B',
  AccessDenied: 'D',
};

const lastSize = ({ sizes }: Shared, { bucket, key }: Place): number | undefined =>
  sizes.get(`${bucket}/${key}`);
