import { OutcomeUnknownError } from '@bucketware/core/contracts';
import { CLAIM_ID, type Claim, sealClaim, unsealClaim } from './claim.js';
import { systemCodeOf, UNKNOWN } from './database-codes.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import {
  FencedError,
  type PageStore,
  RolledBackError,
  type RootImage,
  StoreLostError,
  type Swap,
} from './page-store.js';
import { ROOT_ID, type Root, sealRoot, unsealRoot } from './root.js';

/** How many roots whose write has failed are remembered. */
const MOST_LATE = 16;

/**
 * Pages on an adapter with only get, set and delete. Without compare-and-set, only one process may
 * write: the one whose claim is stored. It reads the claim and the root before it writes the pages
 * and again before it replaces the root, and the claim, the root and a new page afterwards. So once
 * another process has claimed the store, no swap of the previous writer is reported as done.
 *
 * Two risks remain. A `set` of the root that was sent before the claim changed may arrive later and
 * undo commits of the new writer, until its next swap. And a client may repeat it on a server that
 * has lost the pages of its tree, which damages the store.
 */
export class CheckedPages implements PageStore {
  readonly atomic = false;
  readonly #keyv: GuardedKeyv;
  readonly #prefix: string;
  #claim: string | undefined;
  /** Roots whose write has failed. Each of them may still arrive. */
  #late: readonly string[] = [];

  constructor(keyv: GuardedKeyv, prefix: string) {
    this.#keyv = keyv;
    this.#prefix = prefix;
  }

  async readRoot(): Promise<RootImage | undefined> {
    const [stored] = await Promise.all([this.readPage(ROOT_ID), this.#claim && this.#checkClaim()]);
    return stored === undefined ? undefined : { root: unsealRoot(stored), stored };
  }

  readPage(id: string): Promise<unknown> {
    return this.#keyv.get(this.#prefix + id);
  }

  async readClaim(): Promise<Claim | undefined> {
    return unsealClaim(await this.readPage(CLAIM_ID));
  }

  async claim(claim: Claim): Promise<void> {
    this.#claim = sealClaim(claim);
    await this.#keyv.set(this.#prefix + CLAIM_ID, this.#claim);
    await this.#checkClaim();
  }

  async swap({ from, to, pages, removed }: Swap): Promise<RootImage> {
    this.#requireLatest(await this.readRoot(), from, to);
    await Promise.all([
      ...removed.map((id) => this.#keyv.delete(this.#prefix + id)),
      ...Array.from(pages, ([id, text]) => this.#write(id, text)),
    ]);
    // Another server may have stored the pages, after a failover that lost earlier ones.
    this.#requireLatest(await this.readRoot(), from, to);
    const stored = sealRoot(to);
    try {
      await this.#write(ROOT_ID, stored);
      await Promise.all([this.#checkClaim(), this.#requireLast(pages)]);
    } catch (cause) {
      this.#late = [...this.#late, stored].slice(-MOST_LATE);
      if (cause instanceof StoreLostError || systemCodeOf(cause) === 'ENOSPC') throw cause;
      throw new OutcomeUnknownError(UNKNOWN, { cause });
    }
    return { root: to, stored };
  }

  mayBeLate({ stored }: RootImage): boolean {
    return this.#late.some((late) => late === stored);
  }

  settled(): Promise<void> {
    return this.#keyv.settled();
  }

  /**
   * If the database has lost commits, the stored tree is an older one. It is intact only as long as
   * no root refers to pages that were lost, and no page of it is removed.
   */
  #requireLatest(found: RootImage | undefined, from: RootImage | undefined, to: Root): void {
    if (found && found.root.epoch > to.epoch) throw new FencedError();
    if (found?.stored === from?.stored || (found && this.mayBeLate(found))) return;
    // The root of a previous writer, which arrived late, is overwritten.
    if (found === undefined || found.root.owner === to.owner) throw new RolledBackError();
  }

  /** A database that loses writes loses the last ones. */
  async #requireLast(pages: Swap['pages']): Promise<void> {
    const last = [...pages.keys()].at(-1);
    if (last !== undefined && (await this.readPage(last)) === undefined)
      throw new RolledBackError();
  }

  async #checkClaim(): Promise<void> {
    const found = await this.readPage(CLAIM_ID);
    if (found === this.#claim) return;
    if (found !== undefined) throw new FencedError();
    throw new Error('The claim to this metadata store is gone: Keyv lost it, or it was cleared.');
  }

  /** Some adapters report success for a write that the server refused or dropped. */
  async #write(id: string, text: string): Promise<void> {
    await this.#keyv.set(this.#prefix + id, text);
    if ((await this.readPage(id)) === text) return;
    throw new Error(
      `Keyv reported that it wrote ${this.#prefix + id}, but contains something else.`,
    );
  }
}
