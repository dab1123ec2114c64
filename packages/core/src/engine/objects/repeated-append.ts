import { StorageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import type { Admitted } from '../buckets/buckets.js';
import type { ExpectedDigests } from '../content/digests.js';
import { type Body, readThrough } from '../content/receive.js';
import type { MadeAppend, ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';

/*
 * Browsers and proxies repeat a request by themselves when a reused connection closes without a
 * response, although the append may have taken effect. The record of the object therefore remembers
 * the last appends that have an id.
 */

/** How many appends a record remembers. Each takes about 150 bytes. */
const MAX_MADE = 16;

/** An append whose client may have named it. */
export interface NamedAppend {
  readonly admitted: Admitted;
  readonly id: string | undefined;
  readonly body: Body;
  readonly expected: ExpectedDigests;
}

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
export function requireNew(object: ObjectRecord | undefined, id: string | undefined): void {
  if (id === undefined) return;
  const made = object?.append?.made?.find((one) => one.id === id);
  if (object !== undefined && made !== undefined) throw new AlreadyMade(object, made);
}

/** The field of the next record that remembers an append. */
export function remembering(
  before: ObjectRecord | undefined,
  id: string | undefined,
  { length, crc32 }: Data,
  after: MadeAppend['after'],
): { readonly made?: readonly MadeAppend[] } {
  const made = before?.append?.made;
  if (id === undefined) return made === undefined ? {} : { made };
  return { made: [...(made ?? []), { id, length, crc32, after }].slice(-MAX_MADE) };
}

/**
 * Runs an append. If it has already been made, resolves to the object as it was left then.
 * `arrived` takes the data once it is known. Throws InvalidArgument if the id belongs to an append
 * of other data.
 */
export async function atMostOnce(
  store: Store,
  { admitted, id, body, expected }: NamedAppend,
  run: (arrived: (data: Data) => void) => Promise<ObjectRecord>,
): Promise<ObjectRecord> {
  let data: Data | undefined;
  try {
    return await run((received) => {
      data = received;
    });
  } catch (error) {
    if (!(error instanceof AlreadyMade)) throw error;
    const { object, made } = error;
    if (body.length !== undefined && body.length !== made.length) throw otherData(id);
    if (data === undefined) {
      const { size, digests } = await readThrough(store, body, { limit: made.length, expected });
      data = { length: size, crc32: digests.crc32 };
    }
    await admitted.confirm();
    if (data.length !== made.length || data.crc32 !== made.crc32) throw otherData(id);
    const { size, etag, crc32 } = made.after;
    return { ...object, size, etag, md5: etag, crc32, checksum: undefined };
  }
}

const otherData = (id = ''): StorageError =>
  new StorageError(
    'InvalidArgument',
    `The appendId ${quoted(id)} belongs to an earlier append of other data. Use a new id for each append.`,
  );
