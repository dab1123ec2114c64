import {
  listName,
  objectName,
  type Place,
  partName,
  tagName,
  uploadListName,
  uploadName,
} from './names.js';
import { contentOf, reading } from './source-moves.js';
import { type Who, within } from './within.js';
import { type Contents, changed, ends, type Moves, withoutUpload } from './world.js';

const MIN_PART = 100 * 1024;
/** Uploads end with their bucket. */
const ENDED = 'NoSuchUpload';

export const uploadMoves = {
  initiate: (who: Who, at: Place, upload: string, hasList: boolean): Moves =>
    within(who, at.bucket, (world) => {
      const list = hasList ? '' : undefined;
      const begun = { [uploadName(at, upload)]: '', [uploadListName(upload)]: list };
      return ends(changed(world, begun), 'ok');
    }),

  part: (who: Who, at: Place, upload: string, number: number, content: string): Moves =>
    within(
      who,
      at.bucket,
      (world) =>
        world.has(uploadName(at, upload))
          ? ends(changed(world, { [partName(upload, number)]: content }), 'ok')
          : ends(world, 'NoSuchUpload'),
      ENDED,
    ),

  /** Looks up the upload, reads the source, and looks the upload up again. */
  partCopy: (
    who: Who,
    at: Place,
    upload: string,
    number: number,
    from: Place,
    cut: (bytes: Buffer) => Buffer | undefined,
    contents: Contents,
  ): Moves => {
    const read = reading(who, from, ({ type, content }) => {
      if (type === 'A') return 'NotAllowCopy';
      const bytes = cut(contents.bytesOf(content));
      return bytes ? contents.nameOf(bytes) : 'InvalidRange';
    });
    return within(
      who,
      at.bucket,
      (world, progress) => {
        const content = contentOf(progress);
        const isThere = world.has(uploadName(at, upload));
        if (!isThere && (progress === '' || content !== undefined))
          return ends(world, 'NoSuchUpload');
        if (content === undefined) return read(world, progress);
        return ends(changed(world, { [partName(upload, number)]: content }), 'ok');
      },
      ENDED,
    );
  },

  complete: (
    who: Who,
    at: Place,
    upload: string,
    parts: readonly (readonly [number, string])[],
    contents: Contents,
    kept: () => boolean,
  ): Moves =>
    within(
      who,
      at.bucket,
      (world) => {
        const list = JSON.stringify(parts);
        const name = uploadName(at, upload);
        if (!world.has(name)) {
          // For a day, a retry gets the same result. The parts may be removed while they are being
          // read.
          const same = world.get(`c/${upload}`) === list && world.get(tagName(at)) === upload;
          const again = same ? ['ok', ...(kept() ? [] : ['NoSuchUpload'])] : ['NoSuchUpload'];
          return ends(world, ...again, 'InvalidPart');
        }
        if (parts.some(([number, content]) => world.get(partName(upload, number)) !== content)) {
          return ends(world, 'InvalidPart', 'EntityTooSmall');
        }
        const pieces = parts.map(([, content]) => contents.bytesOf(content));
        if (pieces.slice(0, -1).some(({ length }) => length < MIN_PART))
          return ends(world, 'EntityTooSmall');
        const acl = world.get(uploadListName(upload));
        // Setting a list requires a permission that the grantee does not have.
        if (acl !== undefined && who === 'grantee') return ends(world, 'AccessDenied');
        const object = `N${contents.nameOf(Buffer.concat(pieces))}`;
        const next = changed(withoutUpload(world, name), {
          [objectName(at)]: object,
          [tagName(at)]: upload,
          [listName(at)]: acl,
          [`c/${upload}`]: list,
        });
        return ends(next, 'ok');
      },
      ENDED,
    ),

  abort: (who: Who, at: Place, upload: string): Moves =>
    within(
      who,
      at.bucket,
      (world) => {
        const name = uploadName(at, upload);
        return world.has(name) ? ends(withoutUpload(world, name), 'ok') : ends(world, ENDED);
      },
      ENDED,
    ),
};
