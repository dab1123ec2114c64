import { moves, type Place } from './moves.js';
import { answered, bulk, fresh, LONG_LIST, type Planned, type Shared } from './planned.js';

type Make = () => Planned;

/** What a client may do to uploads: to one that is known, or `at` a place that it begins one for. */
export function uploadOperations(
  shared: Shared,
  at: Place,
): Record<'initiate' | 'part' | 'partCopy' | 'complete' | 'abort', Make> {
  const { random, contents, uploads } = shared;
  const upload = uploads.length > 0 ? random.pick(uploads) : undefined;

  const initiate = (): Planned => {
    const upload = shared.newName();
    const list = random.chance(0.3) ? { grantRead: LONG_LIST } : {};
    return {
      name: `initiate ${at.bucket}/${at.key}`,
      moves: moves.initiate(at, upload),
      call: (storage) =>
        answered(async () => {
          const { uploadId: id } = await storage.initiateMultipartUpload({ ...at, ...list });
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
      name: `part ${partNumber} of ${upload.name}`,
      moves: moves.part(place, upload.name, partNumber, content),
      call: (storage) =>
        answered(async () => {
          await storage.uploadPart({ ...place, uploadId, partNumber, body: shared.body(bytes) });
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
      name: `part ${partNumber} of ${upload.name} from ${at.bucket}/${at.key}`,
      moves: moves.partCopy(target, upload.name, partNumber, at, cut, contents),
      call: (storage) =>
        answered(async () => {
          const given = { ...target, uploadId, partNumber, source: at, range };
          const { etag } = await storage.uploadPartCopy(given);
          parts.set(partNumber, etag);
        }),
    };
  };
  const complete = (): Planned => {
    if (upload === undefined || upload.parts.size === 0) return part();
    const { place, id: uploadId } = upload;
    let listed = [...upload.parts].sort(([a], [b]) => a - b);
    if (!shared.large || random.chance(0.2)) listed = listed.slice(0, 1);
    const parts = listed.map(([partNumber, eTag]) => ({ partNumber, eTag }));
    // A copy has named its bytes by now: the answer to it was compared with all that may have happened.
    const named = listed.map(([number, eTag]) => [number, contents.withMd5(eTag)] as const);
    return {
      name: `complete ${upload.name}`,
      moves: moves.complete(place, upload.name, named, contents, shared.remembers),
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
  return { initiate, part, partCopy, complete, abort };
}
