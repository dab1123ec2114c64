import { moves } from './moves.js';
import type { Place } from './names.js';
import { answered, bulk, fresh, LONG_LIST, type Planned, type Shared } from './planned.js';
import type { Who } from './within.js';

type Make = () => Planned;

/** Operations on an upload: a known one, or a new one `at` a place. */
export function uploadOperations(
  shared: Shared,
  who: Who,
  at: Place,
): Record<'initiate' | 'part' | 'partCopy' | 'complete' | 'abort', Make> {
  const { random, contents, uploads } = shared;
  const upload = uploads.length > 0 ? random.pick(uploads) : undefined;

  const initiate = (): Planned => {
    const upload = shared.newName();
    const list = who === 'host' && random.chance(0.3) ? { grantRead: LONG_LIST } : undefined;
    const sum = random.chance(0.3) ? { checksumAlgorithm: 'sha1' as const } : undefined;
    return {
      ...{ who, bucket: at.bucket },
      name: `initiate ${at.bucket}/${at.key}`,
      moves: moves.initiate(who, at, upload, list !== undefined),
      call: (storage) =>
        answered(async () => {
          const { uploadId: id } = await storage.initiateMultipartUpload({
            ...at,
            ...list,
            ...sum,
          });
          uploads.push({ name: upload, id, place: at, parts: new Map() });
        }),
    };
  };
  const part = (): Planned => {
    if (upload === undefined) return initiate();
    const { place, id: uploadId, parts } = upload;
    const partNumber = 1 + random.below(shared.large ? 4 : 2);
    const bytes = shared.large && partNumber < 4 ? bulk(shared) : fresh(shared);
    const content = contents.nameOf(bytes);
    return {
      ...{ who, bucket: place.bucket },
      name: `part ${partNumber} of ${upload.name}`,
      moves: moves.part(who, place, upload.name, partNumber, content),
      call: (storage, send) =>
        answered(async () => {
          await storage.uploadPart({ ...place, uploadId, partNumber, body: send(bytes) });
          parts.set(partNumber, contents.md5Of(content));
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
      ...{ who, bucket: target.bucket },
      name: `part ${partNumber} of ${upload.name} from ${at.bucket}/${at.key}`,
      moves: moves.partCopy(who, target, upload.name, partNumber, at, cut, contents),
      call: (storage) =>
        answered(async () => {
          const given = { ...target, uploadId, partNumber, source: at, range };
          const { etag } = await storage.uploadPartCopy(given);
          parts.set(partNumber, etag);
        }),
    };
  };
  const complete = (): Planned => {
    if (upload === undefined) return part();
    const { place, id: uploadId } = upload;
    let listed = [...upload.parts]
      .sort(([a], [b]) => a - b)
      .map(([partNumber, etag]) => [partNumber, contents.withMd5(etag)] as const)
      // The content of a copy is known once its result has been compared with all possible ones.
      .filter(([, content]) => /^\d/.test(content));
    if (listed.length === 0) return part();
    if (!shared.large || random.chance(0.2)) listed = listed.slice(0, 1);
    const parts = listed.map(([partNumber, content]) => ({
      partNumber,
      eTag: contents.md5Of(content),
    }));
    return {
      ...{ who, bucket: place.bucket },
      name: `complete ${upload.name}`,
      moves: moves.complete(who, place, upload.name, listed, contents, shared.remembers),
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
      ...{ who, bucket: place.bucket },
      name: `abort ${upload.name}`,
      moves: moves.abort(who, place, upload.name),
      call: (storage) => answered(() => storage.abortMultipartUpload({ ...place, uploadId })),
    };
  };
  return { initiate, part, partCopy, complete, abort };
}
