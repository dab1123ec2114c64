import {
  type Contents,
  changed,
  ends,
  type Moves,
  namesUnder,
  type World,
  withoutUpload,
} from './world.js';

/** Where an object is. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

export const objectName = ({ bucket, key }: Place): string =>
  `o/${bucket}/${key.replaceAll('/', '~')}`;
const tagName = (place: Place): string => `t${objectName(place).slice(1)}`;
export const uploadName = (place: Place, upload: string): string =>
  `u${objectName(place).slice(1)}/${upload}`;
const partName = (upload: string, number: number): string => `p/${upload}/${number}`;

const parse = (object: string) => ({ type: object[0] as 'N' | 'A', content: object.slice(1) });
const hasBucket = (world: World, { bucket }: Pick<Place, 'bucket'>) => world.has(`b/${bucket}`);
const MIN_PART = 100 * 1024;

/** What each operation may do and answer. The first question is always whether there is a bucket. */
export const moves = {
  put:
    (at: Place, object: string, createOnly = false): Moves =>
    (world) => {
      if (!hasBucket(world, at)) return ends(world, 'NoSuchBucket');
      if (createOnly && world.has(objectName(at))) return ends(world, 'PreconditionFailed');
      const next = changed(world, { [objectName(at)]: object, [tagName(at)]: undefined });
      return ends(next, 'ok');
    },

  get:
    (at: Place): Moves =>
    (world) =>
      ends(world, world.get(objectName(at)) ?? 'NoSuchKey', ...noBucket(world, at)),

  remove:
    (at: Place): Moves =>
    (world) => {
      if (!world.has(objectName(at))) return ends(world, 'NoSuchKey', ...noBucket(world, at));
      return ends(changed(world, { [objectName(at)]: undefined, [tagName(at)]: undefined }), 'ok');
    },

  /** Each key at an instant of its own: `-` not yet, `1` removed, `0` was not there. */
  removeMany:
    (bucket: string, keys: readonly string[]): Moves =>
    (world, progress) => {
      if (progress === '' && !hasBucket(world, { bucket })) return ends(world, 'NoSuchBucket');
      const done = progress || '-'.repeat(keys.length);
      if (!done.includes('-')) return ends(world, `ok ${done}`);
      return keys.flatMap((key, index) => {
        if (done[index] !== '-') return [];
        const at = { bucket, key };
        const mark = world.has(objectName(at)) ? '1' : '0';
        const next = changed(world, { [objectName(at)]: undefined, [tagName(at)]: undefined });
        return [{ world: next, progress: done.slice(0, index) + mark + done.slice(index + 1) }];
      });
    },

  /** Reads the source at one instant and writes the target at a later one. */
  copy:
    (from: Place, to: Place): Moves =>
    (world, read) => {
      if (!hasBucket(world, to)) return ends(world, 'NoSuchBucket');
      if (read !== '') {
        return ends(
          changed(world, { [objectName(to)]: `N${read}`, [tagName(to)]: undefined }),
          'ok',
        );
      }
      const source = world.get(objectName(from));
      if (source === undefined) return ends(world, 'NoSuchKey', ...noBucket(world, from));
      return [{ world, progress: parse(source).content }];
    },

  /** Nothing that is read here: what it leaves is looked for in the records. */
  setAcl:
    (at: Place): Moves =>
    (world) =>
      world.has(objectName(at))
        ? ends(world, 'ok')
        : ends(world, 'NoSuchKey', ...noBucket(world, at)),

  rename:
    (bucket: string, from: string, to: string): Moves =>
    (world) => {
      const [source, target] = [
        { bucket, key: from },
        { bucket, key: to },
      ];
      const object = world.get(objectName(source));
      if (object === undefined) return ends(world, 'NoSuchKey', ...noBucket(world, source));
      if (from === to) return ends(world, 'ok');
      const next = changed(world, {
        [objectName(source)]: undefined,
        [tagName(source)]: undefined,
        [objectName(target)]: object,
        [tagName(target)]: world.get(tagName(source)),
      });
      return ends(next, 'ok');
    },

  /** Looks at the object before it takes the bytes, and again when it adds them. */
  append:
    (at: Place, offset: number, added: Buffer, contents: Contents): Moves =>
    (world, seen) => {
      const object = world.get(objectName(at));
      if (object === undefined) return ends(world, 'NoSuchKey', ...noBucket(world, at));
      const { type, content } = parse(object);
      if (type === 'N') return ends(world, 'ObjectUnappendable');
      const bytes = contents.bytesOf(content);
      if (bytes.length !== offset || (seen !== '' && seen !== content)) {
        return ends(world, 'OffsetIncorrect');
      }
      if (added.length === 0) return ends(world, `ok ${offset}`);
      if (seen === '') return [{ world, progress: content }];
      const grown = contents.nameOf(Buffer.concat([bytes, added]));
      return ends(changed(world, { [objectName(at)]: `A${grown}` }), `ok ${offset + added.length}`);
    },

  initiate:
    (at: Place, upload: string): Moves =>
    (world) =>
      hasBucket(world, at)
        ? ends(changed(world, { [uploadName(at, upload)]: '' }), 'ok')
        : ends(world, 'NoSuchBucket'),

  part:
    (at: Place, upload: string, number: number, content: string): Moves =>
    (world) =>
      world.has(uploadName(at, upload))
        ? ends(changed(world, { [partName(upload, number)]: content }), 'ok')
        : ends(world, 'NoSuchUpload', ...noBucket(world, at)),

  partCopy:
    (
      at: Place,
      upload: string,
      number: number,
      from: Place,
      cut: (bytes: Buffer) => Buffer | undefined,
      contents: Contents,
    ): Moves =>
    (world, read) => {
      if (!world.has(uploadName(at, upload)))
        return ends(world, 'NoSuchUpload', ...noBucket(world, at));
      if (read !== '') return ends(changed(world, { [partName(upload, number)]: read }), 'ok');
      const source = world.get(objectName(from));
      if (source === undefined) return ends(world, 'NoSuchKey', ...noBucket(world, from));
      const { type, content } = parse(source);
      if (type === 'A') return ends(world, 'NotAllowCopy');
      const bytes = cut(contents.bytesOf(content));
      return bytes ? [{ world, progress: contents.nameOf(bytes) }] : ends(world, 'InvalidRange');
    },

  complete:
    (
      at: Place,
      upload: string,
      parts: readonly (readonly [number, string])[],
      contents: Contents,
      kept: () => boolean,
    ): Moves =>
    (world) => {
      const list = JSON.stringify(parts);
      const name = uploadName(at, upload);
      if (!world.has(name)) {
        // A retry gets the answer again, for a day. Its parts may go while they are being read.
        const same = world.get(`c/${upload}`) === list && world.get(tagName(at)) === upload;
        const again = same ? ['ok', ...(kept() ? [] : ['NoSuchUpload'])] : ['NoSuchUpload'];
        return ends(world, ...again, 'InvalidPart', ...noBucket(world, at));
      }
      if (!hasBucket(world, at)) return ends(world, 'NoSuchBucket');
      if (parts.some(([number, content]) => world.get(partName(upload, number)) !== content)) {
        return ends(world, 'InvalidPart', 'EntityTooSmall');
      }
      const pieces = parts.map(([, content]) => contents.bytesOf(content));
      if (pieces.slice(0, -1).some(({ length }) => length < MIN_PART))
        return ends(world, 'EntityTooSmall');
      const object = `N${contents.nameOf(Buffer.concat(pieces))}`;
      const made = { [objectName(at)]: object, [tagName(at)]: upload, [`c/${upload}`]: list };
      return ends(changed(withoutUpload(world, name), made), 'ok');
    },

  abort:
    (at: Place, upload: string): Moves =>
    (world) => {
      const name = uploadName(at, upload);
      if (!world.has(name)) return ends(world, 'NoSuchUpload', ...noBucket(world, at));
      return ends(withoutUpload(world, name), 'ok');
    },

  makeBucket:
    (bucket: string): Moves =>
    (world) =>
      hasBucket(world, { bucket })
        ? ends(world, 'BucketAlreadyExists')
        : ends(changed(world, { [`b/${bucket}`]: '' }), 'ok'),

  /** Ends uploads one by one. May refuse when something came in between, though it is gone again. */
  removeBucket:
    (bucket: string): Moves =>
    (world) => {
      if (!hasBucket(world, { bucket })) return ends(world, 'NoSuchBucket');
      const uploads = namesUnder(world, `u/${bucket}/`);
      const step = uploads.map((name) => ({ world: withoutUpload(world, name) }));
      const empty = uploads.length === 0 && namesUnder(world, `o/${bucket}/`).length === 0;
      const gone = empty ? ends(changed(world, { [`b/${bucket}`]: undefined }), 'ok') : [];
      return [...step, ...gone, ...ends(world, 'BucketNotEmpty')];
    },

  /** Removes what a rule names, each at an instant of its own. */
  lifecycle:
    (bucket: string, prefix: string): Moves =>
    (world) => [
      ...namesUnder(world, objectName({ bucket, key: prefix })).map((name) => ({
        world: changed(world, { [name]: undefined, [`t${name.slice(1)}`]: undefined }),
      })),
      ...ends(world, 'ok'),
    ],

  sweep: (): Moves => (world) => ends(world, 'ok'),
};

/** Without a bucket either of two answers is right. */
const noBucket = (world: World, at: Place): string[] =>
  hasBucket(world, at) ? [] : ['NoSuchBucket'];
