import type { Change, Entry, MetadataStore } from '../../contracts/metadata-store.js';
import { nextTurn } from '../concurrency/yielder.js';
import { after } from './keys.js';

/** A record as it was read, with the version that a commit can expect. */
export interface Stored<Value> extends Entry {
  readonly value: Value;
}

/** Checks that an entry of the metadata store is a record of some kind. */
export interface Decoder<Value> {
  /** Throws RecordDamagedError if it is not. */
  decode(entry: Entry): Stored<Value>;
}

/** Identifies one record, and knows how to read it. */
export interface RecordRef<Value> {
  readonly kind: Decoder<Value>;
  readonly key: string;
}

/** Thrown for a record without the form of its kind. It may have been damaged on disk. */
export class RecordDamagedError extends Error {
  override readonly name = 'RecordDamagedError';
  /** The record's key in the metadata store. */
  readonly key: string;

  constructor(kind: string, key: string) {
    super(`The record ${JSON.stringify(key)} does not have the form of ${kind}.`);
    this.key = key;
  }
}

interface Definition<Id, Value> {
  /** The name with its article, for messages. */
  readonly name: string;
  /** The common prefix of the keys of all records of this kind. */
  readonly prefix: string;
  key(id: Id): string;
  /** The inverse of `key`. */
  parse(key: string): Id;
  /** Checks only the form. Must be cheap: it runs with every read. */
  fits(value: unknown): value is Value;
}

export interface PagesOptions {
  /** Selects only keys that start with this. Default: all records of the kind. */
  readonly under?: string;
  /** The first key. */
  readonly start?: string | undefined;
  /** How many records a page has. Default 1,000. */
  readonly limit?: number;
  /**
   * Called for each damaged record, which the page leaves out. Default: a damaged record throws its
   * error.
   */
  readonly passOver?: ((damage: RecordDamagedError) => void) | undefined;
}

const PAGE = 1000;

/** One kind of record: how its keys are built and read, and what its values are. */
export class RecordKind<Id, Value> implements Decoder<Value> {
  readonly prefix: string;
  readonly #definition: Definition<Id, Value>;

  constructor(definition: Definition<Id, Value>) {
    this.prefix = definition.prefix;
    this.#definition = definition;
  }

  key(id: Id): string {
    return this.#definition.key(id);
  }

  parse(key: string): Id {
    return this.#definition.parse(key);
  }

  at(id: Id): RecordRef<Value> {
    return { kind: this, key: this.key(id) };
  }

  decode(entry: Entry): Stored<Value> {
    const { name, fits } = this.#definition;
    if (!fits(entry.value)) throw new RecordDamagedError(name, entry.key);
    return entry as Stored<Value>;
  }

  #decodeOr(entry: Entry, passOver: PagesOptions['passOver']): readonly Stored<Value>[] {
    try {
      return [this.decode(entry)];
    } catch (error) {
      if (passOver === undefined || !(error instanceof RecordDamagedError)) throw error;
      passOver(error);
      return [];
    }
  }

  async get(metadata: Pick<MetadataStore, 'get'>, id: Id): Promise<Stored<Value> | undefined> {
    const entry = await metadata.get(this.key(id));
    return entry && this.decode(entry);
  }

  /** The records of many ids, all from one snapshot. */
  async getAll(
    metadata: MetadataStore,
    ids: readonly Id[],
  ): Promise<(Stored<Value> | undefined)[]> {
    const entries = await metadata.getMany(ids.map((id) => this.key(id)));
    return entries.map((entry) => entry && this.decode(entry));
  }

  /**
   * All records, page by page. Requests get a turn in between; otherwise a driver that returns
   * immediately would block them until the last page.
   */
  async *pages(
    metadata: Pick<MetadataStore, 'list'>,
    { under = this.prefix, start, limit = PAGE, passOver }: PagesOptions = {},
  ): AsyncGenerator<Stored<Value>[]> {
    for (let from = start; ; ) {
      const page = await metadata.list({ prefix: under, start: from, limit });
      const last = page.at(-1);
      if (last === undefined) return;
      const records = page.flatMap((entry) => this.#decodeOr(entry, passOver));
      if (records.length > 0) yield records;
      if (page.length < limit) return;
      await nextTurn();
      from = after(last.key);
    }
  }

  /** The part of a change that writes the record. */
  put(id: Id, value: Value): Change {
    return { put: [{ key: this.key(id), value }] };
  }

  /**
   * The part of a change that requires the record to have this version; with `undefined`, to be
   * absent.
   */
  expect(id: Id, version: string | undefined): Change {
    return { expect: [{ key: this.key(id), version }] };
  }

  /** The part of a change that removes the record. */
  delete(id: Id): Change {
    return { delete: [this.key(id)] };
  }
}

/** A kind of record that a storage has only once, under this key. */
export const singleRecord = <Value>(
  key: string,
  { name, fits }: Pick<Definition<void, Value>, 'name' | 'fits'>,
): RecordKind<void, Value> =>
  new RecordKind({ name, prefix: key, key: () => key, parse: () => undefined, fits });

type Values<Refs extends readonly RecordRef<unknown>[]> = {
  -readonly [At in keyof Refs]: Refs[At] extends RecordRef<infer Value>
    ? Stored<Value> | undefined
    : never;
};

/** Several records, possibly of different kinds, all from one snapshot. */
export async function readTogether<const Refs extends readonly RecordRef<unknown>[]>(
  metadata: MetadataStore,
  ...refs: Refs
): Promise<Values<Refs>> {
  const entries = await metadata.getMany(refs.map(({ key }) => key));
  return refs.map(({ kind }, at) => entries[at] && kind.decode(entries[at])) as Values<Refs>;
}
