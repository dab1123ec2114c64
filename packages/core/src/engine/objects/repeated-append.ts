import { createHash } from 'node:crypto';
import type { Principal } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';
import type { Admitted } from '../buckets/buckets.js';
import { callerId } from '../concurrency/caller-id.js';
import type { ExpectedDigests } from '../content/digests.js';
import { type Body, readThrough } from '../content/receive.js';
import type { MadeAppend, ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';

/*
 * Browsers and proxies repeat a request by themselves when a reused connection closes without a
 * response, although the append may have taken effect. The record of the object therefore remembers
 * the last appends that have an id.
 */

/** How many appends a record remembers. Each takes about 130 bytes. */
const MAX_MADE = 16;

/** An append whose client may have named it. */
export interface NamedAppend {
  readonly admitted: Admitted;
  readonly name: string | undefined;
  readonly body: Body;
  readonly expected: ExpectedDigests;
}

export interface Appended {
  readonly record: ObjectRecord;
  /** Whether an earlier request made the append. The record is then as it was left by it. */
  readonly isRepeated: boolean;
}

/**
 * The name of an append in a record: short, and different for each caller, so that nobody learns
 * about the appends of others from their ids.
 */
export const nameOfAppend = (
  principal: Principal | undefined,
  id: string | undefined,
): string | undefined =>
  id &&
  createHash('sha256')
    .update(`${callerId(principal)} ${id}`)
    .digest('base64url')
    .slice(0, 22);

/** The data of an append. */
type Data = Pick<MadeAppend, 'length' | 'crc32'>;

/** Ends an append that has already been made. */
class AlreadyMade extends Error {
  readonly object: ObjectRecord;
  readonly made: MadeAppend;

  constructor(object: ObjectRecord, made: MadeAppend) {
    super('This append has already been made.');
    this.object = object;
    this.made = made;
  }
}

/** Ends an append that is already part of the object. Call it before each commit. */
export function requireNew(object: ObjectRecord | undefined, name: string | undefined): void {
  if (name === undefined) return;
  const made = object?.append?.made?.find((one) => one.name === name);
  if (object !== undefined && made !== undefined) throw new AlreadyMade(object, made);
}

/** The field of the next record that remembers an append. */
export function remembering(
  before: ObjectRecord | undefined,
  name: string | undefined,
  { length, crc32 }: Data,
  after: MadeAppend['after'],
): { readonly made?: readonly MadeAppend[] } {
  const made = before?.append?.made;
  if (name === undefined) return made === undefined ? {} : { made };
  return { made: [...(made ?? []), { name, length, crc32, after }].slice(-MAX_MADE) };
}

/**
 * Runs an append, unless it has already been made. `arrived` takes the data once it is known. Throws
 * InvalidArgument if the caller has used the id for other data.
 */
export async function atMostOnce(
  store: Store,
  append: NamedAppend,
  run: (arrived: (data: Data) => void) => Promise<ObjectRecord>,
): Promise<Appended> {
  let data: Data | undefined;
  try {
    const record = await run((received) => {
      data = received;
    });
    return { record, isRepeated: false };
  } catch (error) {
    if (!(error instanceof AlreadyMade)) throw error;
    const { object, made } = error;
    await append.admitted.confirm();
    data ??= await readData(store, append, made.length);
    await append.admitted.confirm();
    if (data?.length !== made.length || data.crc32 !== made.crc32) throw otherData();
    const { size, etag, crc32 } = made.after;
    return {
      record: { ...object, size, etag, md5: etag, crc32, checksum: undefined },
      isRepeated: true,
    };
  }
}

/** Reads the data of a repeated append, unless it is longer than the first time. */
async function readData(
  store: Store,
  { body, expected }: NamedAppend,
  limit: number,
): Promise<Data | undefined> {
  if (body.length !== undefined && body.length !== limit) return undefined;
  try {
    const { size, digests } = await readThrough(store, body, { limit, expected });
    return { length: size, crc32: digests.crc32 };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'EntityTooLarge') return undefined;
    throw error;
  }
}

const otherData = (): StorageError =>
  new StorageError(
    'InvalidArgument',
    'This appendId belongs to an earlier append of other data. Use a new id for each append.',
  );
