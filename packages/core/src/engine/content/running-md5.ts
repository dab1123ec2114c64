import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { createMD5 } from 'hash-wasm';
import { asStorageError } from '../../errors.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import type { ContentName } from './damage.js';
import { openContent } from './reading.js';
import { type SavedHash, SavedHashes } from './saved-hash.js';

/** The digests of a whole object that grows, at the cost of the bytes that are added. */
export interface RunningDigests {
  update(bytes: Uint8Array): void;
  done(): WholeDigests;
}

/** Of all bytes of an object. `state` is what {@link resume} goes on from. */
export interface WholeDigests {
  readonly md5: string;
  readonly crc32: number;
  readonly state: Uint8Array;
}

/** node:crypto cannot save the state of a hash, so this MD5 is WebAssembly. */
const md5s = new SavedHashes(createMD5);

/** Digests that begin with nothing. */
export async function begin(): Promise<RunningDigests> {
  return running(await md5s.begin(), 0);
}

/** Digests that go on behind an object's bytes. Reads these only when its state is of no use. */
export async function resume(
  store: Store,
  name: ContentName,
  object: ObjectRecord,
): Promise<RunningDigests> {
  if (object.append !== undefined && object.crc32 !== undefined) {
    try {
      return running(await md5s.begin(object.append.md5), object.crc32);
    } catch {
      // The state is of another version of the library; the bytes themselves have to be hashed.
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
