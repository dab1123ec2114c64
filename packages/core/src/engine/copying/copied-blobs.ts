import type { MetadataStore } from '../../contracts/metadata-store.js';
import { copiedRecords } from '../records/copied.js';
import { mergeChanges } from '../transaction.js';
import { type Claim, commitAs } from './claim.js';

/** How much is copied between two commits. If the process is killed, this much is copied again. */
const BATCH = 256;
const BATCH_BYTES = 64 * 1024 * 1024;

const GONE = -1;

/**
 * The blobs whose `write` has resolved, in this call or an interrupted one. Others may look complete
 * although their data is not on the disk: the process was killed before the sync, or the sync
 * failed.
 */
export class CopiedBlobs {
  readonly #claim: Claim;
  readonly #metadata: MetadataStore;
  readonly #sizes = new Map<string, number>();
  /** The number of the next list. */
  #next = 0;
  #unsaved: [id: string, size: number][] = [];
  #unsavedBytes = 0;

  constructor(claim: Claim, metadata: MetadataStore) {
    this.#claim = claim;
    this.#metadata = metadata;
  }

  /** Reads what interrupted calls have saved. */
  async load(): Promise<void> {
    for await (const page of copiedRecords.pages(this.#metadata, { limit: 100 })) {
      for (const { key, value } of page) {
        this.#next = copiedRecords.parse(key) + 1;
        for (const [id, size] of value) this.#sizes.set(id, size);
      }
    }
  }

  has(id: string, size: number): boolean {
    return this.#sizes.get(id) === size;
  }

  async add(id: string, size: number): Promise<void> {
    this.#sizes.set(id, size);
    this.#unsaved.push([id, size]);
    this.#unsavedBytes += size;
    if (this.#unsaved.length >= BATCH || this.#unsavedBytes >= BATCH_BYTES) await this.save();
  }

  /** Call it before a blob is removed: another one with the same id may take its place. */
  async forget(id: string): Promise<void> {
    if ((this.#sizes.get(id) ?? GONE) === GONE) return;
    this.#sizes.set(id, GONE);
    this.#unsaved.push([id, GONE]);
    await this.save();
  }

  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const batch = this.#unsaved;
    this.#unsaved = [];
    this.#unsavedBytes = 0;
    await commitAs(this.#claim, this.#metadata, copiedRecords.put(this.#next++, batch));
  }

  /** Removes what was saved: the copy is complete. */
  async clear(): Promise<void> {
    for await (const page of copiedRecords.pages(this.#metadata)) {
      const removals = page.map(({ key }) => copiedRecords.delete(copiedRecords.parse(key)));
      await commitAs(this.#claim, this.#metadata, mergeChanges(...removals));
    }
  }
}
