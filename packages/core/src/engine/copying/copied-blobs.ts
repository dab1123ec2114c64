import type { MetadataStore } from '../../contracts/metadata-store.js';
import { copiedRecords } from '../records/copied.js';
import { newId } from '../store.js';
import { mergeChanges } from '../transaction.js';
import { type Claim, commitAs } from './claim.js';

/** How much is copied between two commits. If the process is killed, this much is copied again. */
const BATCH = 256;
const BATCH_BYTES = 64 * 1024 * 1024;

/**
 * The blobs whose `write` has resolved, in this call or an interrupted one. Others may look complete
 * although their data is not on the disk: the process was killed before the sync, or the sync
 * failed.
 */
export class CopiedBlobs {
  readonly #claim: Claim;
  readonly #metadata: MetadataStore;
  readonly #sizes = new Map<string, number>();
  #unsaved: [id: string, size: number][] = [];
  #unsavedBytes = 0;

  constructor(claim: Claim, metadata: MetadataStore) {
    this.#claim = claim;
    this.#metadata = metadata;
  }

  /** Reads what interrupted calls have saved. */
  async load(): Promise<void> {
    for await (const page of copiedRecords.pages(this.#metadata, { limit: 100 })) {
      for (const { value } of page) for (const [id, size] of value) this.#sizes.set(id, size);
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

  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const batch = this.#unsaved;
    this.#unsaved = [];
    this.#unsavedBytes = 0;
    await commitAs(this.#claim, this.#metadata, copiedRecords.put(newId(), batch));
  }

  /** Removes what was saved: the copy is complete. */
  async clear(): Promise<void> {
    for await (const page of copiedRecords.pages(this.#metadata)) {
      const removals = page.map(({ key }) => copiedRecords.delete(copiedRecords.parse(key)));
      await commitAs(this.#claim, this.#metadata, mergeChanges(...removals));
    }
  }
}
