import { checksums } from './checksums/index.js';
import { hasCode } from './errors.js';
import { requireBody } from './http/body.js';
import { isLost } from './http/retry.js';
import type { Operations } from './operations.js';
import type { Appended, ObjectOptions, OfObject, StoredObject } from './types.js';

export interface AppendOptions extends OfObject, ObjectOptions {
  readonly body: Uint8Array | string | Blob;
}

/** How often an append is tried again when concurrent appends come first. */
const MOST_TURNS = 20;

/**
 * Adds data to the end of an object, and creates it if there is none. The storage recognizes an
 * append that is sent again by its id.
 */
export async function append(
  client: Operations,
  { body, ...given }: AppendOptions,
): Promise<Appended> {
  const { bucket, key, signal } = given;
  const name = { bucket, key, signal };
  // Fails for a file that has gone; a new Blob of it would be empty in Chromium.
  const bytes = new Uint8Array(await new Response(requireBody(body) as BodyInit).arrayBuffer());
  const added = {
    body: bytes,
    contentCrc32: checksums.crc32(bytes),
    // `crypto.randomUUID` exists only in secure contexts.
    appendId: crypto.getRandomValues(new Uint32Array(4)).join('-'),
  };
  let before = await stateOf(client, name);
  let lost: unknown;
  for (let turn = 0; ; turn++) {
    try {
      const place =
        before === undefined
          ? { ...given, forbidOverwrite: true }
          : { ...name, offset: before.size };
      return await client.appendObject({ ...place, ...added });
    } catch (error) {
      signal?.throwIfAborted();
      lost ??= isLost(error) ? error : undefined;
      const isTaken = hasCode(error, 'OffsetIncorrect', 'PreconditionFailed', 'NoSuchKey');
      // Once an append is lost, no refusal shows that it had no effect.
      const isOver = lost ? !isLost(error) : !isTaken;
      if (isOver || turn >= MOST_TURNS) throw lost ?? error;
      const now = await stateOf(client, name).catch((reason) => {
        signal?.throwIfAborted();
        throw lost ?? reason;
      });
      // Renamed, deleted or replaced: the lost append may be in the object that was here.
      const isOther = now?.size === before?.size && now?.etag !== before?.etag;
      if (lost && (now === undefined || isOther)) throw lost;
      // A lost append is sent again unchanged.
      if (!lost) before = now;
    }
  }
}

async function stateOf(client: Operations, name: OfObject): Promise<StoredObject | undefined> {
  try {
    return await client.getObjectMeta(name);
  } catch (error) {
    if (hasCode(error, 'NotFound', 'NoSuchKey')) return undefined;
    throw error;
  }
}
