import { joinCrc32 } from './checksums/crc32.js';
import { checksums } from './checksums/index.js';
import { hasCode } from './errors.js';
import type { Operations } from './operations.js';
import type { Appended, ObjectOptions, OfObject } from './types.js';

export interface AppendOptions extends OfObject, ObjectOptions {
  readonly body: Uint8Array | string | Blob;
}

interface Before {
  readonly size: number;
  readonly crc32: number | undefined;
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
  const bytes = new Uint8Array(await new Blob([body as BlobPart]).arrayBuffer());
  const contentCrc32 = checksums.crc32(bytes);
  let before = await stateOf(client, name);
  for (let turn = 0; ; turn++) {
    try {
      if (before === undefined) {
        return await client.appendObject({ ...given, body: bytes, contentCrc32 });
      }
      return await client.appendObject({ ...name, body: bytes, contentCrc32, offset: before.size });
    } catch (error) {
      if (
        turn >= MOST_TURNS ||
        !hasCode(error, 'OffsetIncorrect', 'NetworkError', 'InternalError')
      ) {
        throw error;
      }
      const now = await stateOf(client, name);
      if (now === undefined) throw error;
      if (hasCode(error, 'OffsetIncorrect')) before = now;
      else if (hasArrived(before ?? NOTHING, now, contentCrc32, bytes.length)) {
        const { etag } = await client.getObjectMeta(name);
        return { etag, contentCrc32: now.crc32, nextAppendOffset: now.size };
        // Another client has appended, so the outcome is unknown.
      } else if (now.size !== before?.size) throw error;
    }
  }
}

const NOTHING: Before = { size: 0, crc32: 0 };

const hasArrived = (before: Before, now: Before, crc32: number, length: number): boolean =>
  before.crc32 !== undefined &&
  now.size === before.size + length &&
  now.crc32 === joinCrc32(before.crc32, crc32, length);

async function stateOf(client: Operations, name: OfObject): Promise<Before | undefined> {
  try {
    const { size, contentCrc32 } = await client.getObjectMeta(name);
    return { size, crc32: contentCrc32 };
  } catch (error) {
    if (hasCode(error, 'NotFound', 'NoSuchKey')) return undefined;
    throw error;
  }
}
