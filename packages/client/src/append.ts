import { joinCrc32 } from './checksums/crc32.js';
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
 * Adds data to the end of an object, and creates it if there is none. If two clients create it at
 * the same time, the later one replaces the other. To never append data twice, a lost response is
 * resolved by the CRC-32 of the object, which shows whether the data has arrived.
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
    // A browser may repeat the request by itself. The storage recognizes the append by its id.
    appendId: `${Math.random()}`.slice(2),
  };
  let before = await stateOf(client, name);
  /** An append at this offset may still take effect, so that the next one gets OffsetIncorrect. */
  let lost: unknown;
  for (let turn = 0; ; turn++) {
    try {
      const place = before === undefined ? given : { ...name, offset: before.size };
      return await client.appendObject({ ...place, ...added });
    } catch (error) {
      if (isLost(error)) lost = error;
      else if (!hasCode(error, 'OffsetIncorrect')) throw error;
      const now = await stateOf(client, name);
      if (now === undefined || turn >= MOST_TURNS) throw lost ?? error;
      if (lost === undefined) before = now;
      else if (hasArrived(before ?? NOTHING, now, added.contentCrc32, bytes.length)) {
        const { etag, contentCrc32, size: nextAppendOffset } = now;
        return { etag, contentCrc32, nextAppendOffset };
        // Another client has appended, so the outcome is unknown.
      } else if (now.size !== before?.size) throw lost;
    }
  }
}

type State = Pick<StoredObject, 'size' | 'contentCrc32'>;

const NOTHING: State = { size: 0, contentCrc32: 0 };

const hasArrived = (before: State, now: State, crc32: number, length: number): boolean =>
  before.contentCrc32 !== undefined &&
  now.size === before.size + length &&
  now.contentCrc32 === joinCrc32(before.contentCrc32, crc32, length);

async function stateOf(client: Operations, name: OfObject): Promise<StoredObject | undefined> {
  try {
    return await client.getObjectMeta(name);
  } catch (error) {
    if (hasCode(error, 'NotFound', 'NoSuchKey')) return undefined;
    throw error;
  }
}
