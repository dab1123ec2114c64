import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { createMD5 } from 'hash-wasm';
import { asStorageError } from '../../errors.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import type { ContentName } from './damage.js';
import { openContent } from './reading.js';
import { type SavedHash, SavedHashes } from './saved-hash.js';

/** The digests of a whole growing object, at the cost of the added data only. */
export interface RunningDigests {
  update(bytes: Uint8Array): void;
  done(): WholeDigests;
}

/** The digests of all data of an object. {@link resume} continues from `state`. */
export interface WholeDigests {
  readonly md5: string;
  readonly crc32: number;
  readonly state: Uint8Array;
}

/** node:crypto cannot save the state of a hash, so this MD5 is WebAssembly. */
const md5s = new SavedHashes(createMD5);

/** Digests of no data yet. */
export async function begin(): Promise<RunningDigests> {
  return running(await md5s.begin(), 0);
}

/**
 * Digests that continue after an object's data. The data is read again only if its state cannot be
 * used.
 */
export async function resume(
  store: Store,
  name: ContentName,
  object: ObjectRecord,
): Promise<RunningDigests> {
  if (object.append !== undefined && object.crc32 !== undefined) {
    try {
      return running(await md5s.begin(object.append.md5), object.crc32);
    } catch {
      // The state is from another version of the library, so the data must be hashed again.
    }
  }
  const digests = await begin();
  try {
    const content = await openContent(store, name, object.content, { start: 0, end: object.size });
    if (!(content instanceof Readable)) digests.update(content);
    else for await (const chunk of content) digests.update(chunk as Uint8Array);
  } catch (error) {
    throw asStorageError(error); // Damaged bytes must not get digests of their own.
  }
  return digests;
}

function running(md5: SavedHash, from: number): RunningDigests {
  let crc = from;
  return {
    update(bytes) {
      md5.update(bytes);
      crc = crc32(bytes, crc);
    },
    done: () => ({ md5: md5.hex(), crc32: crc, state: md5.state }),
  };
}
