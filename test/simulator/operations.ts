import { type ObjectStorage, StorageError } from '@bucketware/core';
import { moves, type Place } from './moves.js';
import type { Random } from './random.js';
import type { Contents, Moves } from './world.js';

/** An operation that is about to be called: what it may do, and how it is done. */
export interface Planned {
  readonly name: string;
  readonly moves: Moves;
  /** Resolves to the answer, in the words of {@link moves}. */
  call(storage: ObjectStorage): Promise<string>;
}

/** An upload that some client was told the id of, and the parts that were answered. */
export interface KnownUpload {
  readonly name: string;
  readonly id: string;
  readonly place: Place;
  readonly parts: Map<number, string>;
}

/** What all clients of a run share. */
export interface Shared {
  readonly random: Random;
  readonly contents: Contents;
  readonly uploads: KnownUpload[];
  /** The last size of each appendable object that a client was told. */
  readonly sizes: Map<string, number>;
  /** Bytes arrive as a stream, each chunk when its turn comes. */
  body(bytes: Buffer): AsyncIterable<Uint8Array>;
  /** Parts of 100 KB and more, so that several make one object. */
  readonly large: boolean;
  wait(milliseconds: number): void;
  /** Whether results of uploads are still kept. */
  remembers(): boolean;
  /** A client that takes its time. */
  dawdle(): Promise<void>;
  newName(): string;
}

export const INLINE_LIMIT = 24;
export const BUCKETS = ['one', 'two'] as const;
const KEYS = ['a', 'b', 't/x', 'a', 'b', 'log'] as const;
const HOUR = 3_600_000;

/** Runs an operation; an error of the interface is an answer as well. */
async function answered(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    if (error instanceof StorageError && error.code !== 'InternalError') return error.code;
    throw error;
  }
}

/** Lets one client do something, of all kinds of things. */
export function plan(shared: Shared): Planned {
  const { random, contents, uploads } = shared;
  const place = (): Place => ({
    bucket: random.chance(0.8) ? BUCKETS[0] : BUCKETS[1],
    key: random.pick(KEYS),
  });
  const fresh = (largest = 90): Buffer => {
    const size = random.chance(0.1) ? 0 : random.below(largest);
    return Buffer.from(`${shared.newName()}|`.repeat(size).slice(0, size));
  };
  const at = place();
  const upload = uploads.length > 0 ? random.pick(uploads) : undefined;
  const name = (what: string) => `${what} ${at.bucket}/${at.key}`;

  const put = (): Planned => {
    const bytes = shared.large && random.chance(0.3) ? bulk(shared) : fresh();
    const createOnly = random.chance(0.2);
    const given = createOnly ? { ifNoneMatch: '*' } : {};
    return {
      name: name(`put ${bytes.length}`),
      moves: moves.put(at, `N${contents.nameOf(bytes)}`, createOnly),
      call: (storage) =>
        answered(() => storage.putObject({ ...at, ...given, body: shared.body(bytes) })),
    };
  };
  // Most appends go to one object, so that it gets long before something else happens to it.
  const log = (): Place => (random.chance(0.7) ? { bucket: BUCKETS[0], key: 'log' } : at);
  const create = (to = log()): Planned => {
    const bytes = fresh(40);
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
    const bytes = fresh(40);
    // Clients see each other's sizes; now and then one is out of date.
    const known = lastSize(shared, to);
    if (known === undefined) return create(to);
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
    const source = place();
    if (source.bucket === at.bucket && source.key === at.key) return get();
    return {
      name: name(`copy ${source.bucket}/${source.key} to`),
      moves: moves.copy(source, at),
      call: (storage) => answered(() => storage.copyObject({ ...at, source })),
    };
  };
  const rename = (): Planned => {
    const from = random.pick(KEYS);
    return {
      name: name(`rename ${from} to`),
      moves: moves.rename(at.bucket, from, at.key),
      call: (storage) => answered(() => storage.renameObject({ ...at, from })),
    };
  };
  const initiate = (): Planned => {
    const upload = shared.newName();
    return {
      name: name('initiate'),
      moves: moves.initiate(at, upload),
      call: (storage) =>
        answered(async () => {
          const { uploadId: id } = await storage.initiateMultipartUpload(at);
          uploads.push({ name: upload, id, place: at, parts: new Map() });
        }),
    };
  };
  const part = (): Planned => {
    if (upload === undefined) return initiate();
    const { place, id: uploadId, parts } = upload;
    const partNumber = 1 + random.below(2);
    const bytes = shared.large && partNumber === 1 ? bulk(shared) : fresh();
    const content = contents.nameOf(bytes);
    return {
      name: `part ${partNumber} of ${upload.name}`,
      moves: moves.part(place, upload.name, partNumber, content),
      call: (storage) =>
        answered(async () => {
          await storage.uploadPart({ ...place, uploadId, partNumber, body: shared.body(bytes) });
          parts.set(partNumber, content);
        }),
    };
  };
  const partCopy = (): Planned => {
    if (upload === undefined) return initiate();
    const { place: target, id: uploadId, parts } = upload;
    const partNumber = 1 + random.below(2);
    const [from, to] = [random.below(6), 6 + random.below(30)];
    const ranged = random.chance(0.5);
    const cut = (bytes: Buffer) => {
      if (!ranged) return bytes;
      return from < bytes.length ? bytes.subarray(from, to + 1) : undefined;
    };
    const range = ranged ? `bytes=${from}-${to}` : undefined;
    return {
      name: `part ${partNumber} of ${upload.name} from ${at.bucket}/${at.key}`,
      moves: moves.partCopy(target, upload.name, partNumber, at, cut, contents),
      call: (storage) =>
        answered(async () => {
          const given = { ...target, uploadId, partNumber, source: at, range };
          const { eTag } = await storage.uploadPartCopy(given);
          parts.set(partNumber, contents.withMd5(eTag));
        }),
    };
  };
  const complete = (): Planned => {
    if (upload === undefined || upload.parts.size === 0) return part();
    const { place, id: uploadId } = upload;
    let listed = [...upload.parts].sort(([a], [b]) => a - b);
    if (!shared.large || random.chance(0.2)) listed = listed.slice(0, 1);
    const parts = listed.map(([partNumber, content]) => ({
      partNumber,
      eTag: contents.md5Of(content),
    }));
    return {
      name: `complete ${upload.name}`,
      moves: moves.complete(place, upload.name, listed, contents, shared.remembers),
      call: (storage) =>
        answered(() =>
          storage.completeMultipartUpload({ ...place, uploadId, parts: parts as never }),
        ),
    };
  };
  const abort = (): Planned => {
    if (upload === undefined) return initiate();
    const { place, id: uploadId } = upload;
    return {
      name: `abort ${upload.name}`,
      moves: moves.abort(place, upload.name),
      call: (storage) => answered(() => storage.abortMultipartUpload({ ...place, uploadId })),
    };
  };
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
      shared.wait(random.chance(0.03) ? 8 * 24 * HOUR : random.chance(0.5) ? HOUR : 0);
      return answered(() => storage.sweep());
    },
  });

  const weighted: readonly (readonly [number, () => Planned])[] = [
    ...([
      [6, put],
      [2, create],
      [6, append],
      [4, get],
      [4, remove],
      [1, removeMany],
    ] as const),
    ...([
      [4, copy],
      [3, rename],
      [3, initiate],
      [5, part],
      [3, partCopy],
      [4, complete],
    ] as const),
    ...([
      [2, abort],
      [1, makeBucket],
      [1, removeBucket],
      [1, lifecycle],
      [4, sweep],
    ] as const),
  ];
  let left = random.below(weighted.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of weighted) {
    left -= weight;
    if (left < 0) return make();
  }
  return get();
}

/** Enough for a part that is not the last one. The same bytes but for their head. */
function bulk(shared: Shared): Buffer {
  const bytes = Buffer.alloc(100 * 1024 + shared.random.below(2), '.');
  bytes.write(shared.newName());
  return bytes;
}

const lastSize = ({ sizes }: Shared, { bucket, key }: Place): number | undefined =>
  sizes.get(`${bucket}/${key}`);
