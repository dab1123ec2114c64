import { bucketMoves } from './bucket-moves.js';
import { listName, objectName, type Place, tagName } from './names.js';
import { contentOf, isHidden, parse, reading } from './source-moves.js';
import { uploadMoves } from './upload-moves.js';
import { admission, isGranted, lifeOf, type Who, within } from './within.js';
import { type Contents, changed, ends, type Move, type Moves, type World } from './world.js';

/** Replaces an object, or removes it. Its tag and its list are removed. */
const replaced = (world: World, at: Place, object?: string): World =>
  changed(world, {
    [objectName(at)]: object,
    [tagName(at)]: undefined,
    [listName(at)]: undefined,
  });

const objectMoves = {
  put: (who: Who, at: Place, object: string, createOnly = false): Moves =>
    within(who, at.bucket, (world) => {
      if (createOnly && world.has(objectName(at))) return ends(world, 'PreconditionFailed');
      return ends(replaced(world, at, object), 'ok');
    }),

  get: (who: Who, at: Place): Moves =>
    within(who, at.bucket, (world) =>
      ends(world, isHidden(world, who, at) ?? world.get(objectName(at)) ?? 'NoSuchKey'),
    ),

  setAcl: (at: Place): Moves =>
    within('host', at.bucket, (world) =>
      world.has(objectName(at))
        ? ends(changed(world, { [listName(at)]: '' }), 'ok')
        : ends(world, 'NoSuchKey'),
    ),

  remove: (who: Who, at: Place): Moves =>
    within(who, at.bucket, (world) =>
      world.has(objectName(at)) ? ends(replaced(world, at), 'ok') : ends(world, 'NoSuchKey'),
    ),

  /**
   * Handles each key at its own moment, with one mark per key: `-` not done yet, `1` removed, `K`
   * no such key, `B` the bucket no longer exists, `D` denied.
   */
  removeMany:
    (who: Who, bucket: string, keys: readonly string[]): Moves =>
    (world, progress) => {
      const admitted = admission(who, bucket, world, progress);
      if (admitted !== undefined) return admitted;
      const [found, marks] = progress.split('!');
      const done = marks || '-'.repeat(keys.length);
      if (!done.includes('-')) return ends(world, `ok ${done}`);
      return keys.flatMap((key, index): Move[] => {
        if (done[index] !== '-') return [];
        const at = { bucket, key };
        const marked = (mark: string, next = world): Move => ({
          world: next,
          progress: `${found}!${done.slice(0, index)}${mark}${done.slice(index + 1)}`,
        });
        const denied = who === 'host' ? [] : [marked('D')];
        if (lifeOf(world, bucket) !== found) return [marked('B'), ...denied];
        const isThere = world.has(objectName(at));
        if (!isGranted(world, who, bucket)) return isThere ? denied : [marked('K'), ...denied];
        return [isThere ? marked('1', replaced(world, at)) : marked('K')];
      });
    },

  /** Reads the source, and writes the target at a later moment. */
  copy: (who: Who, from: Place, to: Place): Moves => {
    const read = reading(who, from, ({ content }) => content);
    return within(who, to.bucket, (world, progress) => {
      const content = contentOf(progress);
      if (content === undefined) return read(world, progress);
      return ends(replaced(world, to, `N${content}`), 'ok');
    });
  },

  rename: (who: Who, bucket: string, from: string, to: string): Moves =>
    within(who, bucket, (world) => {
      const [source, target] = [
        { bucket, key: from },
        { bucket, key: to },
      ];
      const object = world.get(objectName(source));
      const hidden = isHidden(world, who, source);
      if (object === undefined || hidden) return ends(world, hidden ?? 'NoSuchKey');
      if (from === to) return ends(world, 'ok');
      const next = changed(world, {
        [objectName(source)]: undefined,
        [tagName(source)]: undefined,
        [listName(source)]: undefined,
        [objectName(target)]: object,
        [tagName(target)]: world.get(tagName(source)),
        [listName(target)]: world.get(listName(source)),
      });
      return ends(next, 'ok');
    }),

  append: (who: Who, at: Place, offset: number, added: Buffer, contents: Contents): Moves =>
    within(who, at.bucket, (world, seen) => {
      // The object is checked before the bytes are accepted. Without bytes, there is nothing else
      // to do.
      if (seen !== '') {
        const hidden = isHidden(world, who, at);
        return ends(world, `ok ${offset}`, ...(hidden ? [hidden] : []));
      }
      const object = world.get(objectName(at));
      if (object === undefined) return ends(world, 'NoSuchKey');
      const { type, content } = parse(object);
      if (type === 'N') return ends(world, 'ObjectUnappendable');
      const bytes = contents.bytesOf(content);
      if (bytes.length !== offset) return ends(world, 'OffsetIncorrect');
      if (added.length === 0) return [{ world, progress: 'seen' }];
      const grown = contents.nameOf(Buffer.concat([bytes, added]));
      return ends(changed(world, { [objectName(at)]: `A${grown}` }), `ok ${offset + added.length}`);
    }),
};

/** What each operation may do and return. */
export const moves = { ...objectMoves, ...uploadMoves, ...bucketMoves };
