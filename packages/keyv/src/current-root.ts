import {
  FencedError,
  type PageStore,
  ReplacedError,
  RolledBackError,
  type RootImage,
  StoreLostError,
} from './page-store.js';

/** How long a sole writer relies on its last check that it is still the only writer. */
const TRUST_MS = 1000;

/** The tree that reads and commits start from. */
export class CurrentRoot {
  readonly #store: PageStore;
  readonly #owner: string;
  /**
   * The root before a swap of this process whose outcome is unknown. Without compare-and-set, a newer
   * root is adopted only meanwhile: any other one is that of an earlier swap that failed and arrived
   * late.
   */
  unknown: RootImage | undefined;
  #image: RootImage;
  #checked = performance.now();
  #changes = 0;
  #failure: Error | undefined;
  #running: Promise<RootImage> | undefined;
  #next: Promise<RootImage> | undefined;

  /** `owner`: the token of the only writer; empty when several may write. */
  constructor(store: PageStore, image: RootImage, owner: string) {
    this.#store = store;
    this.#image = image;
    this.#owner = owner;
  }

  /** The last known root. */
  get known(): RootImage {
    if (this.#failure) throw this.#failure;
    return this.#image;
  }

  /** A root no older than this call. A sole writer knows it; other processes have to read it. */
  latest(): RootImage | Promise<RootImage> {
    if (this.#failure) throw this.#failure;
    const known = this.#owner !== '' && performance.now() - this.#checked < TRUST_MS;
    return known ? this.#image : this.reload();
  }

  /**
   * Reads the root from the store. Callers share a read, but never one that began before their
   * call: it might miss a commit that they already know about.
   */
  reload(): Promise<RootImage> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  adopt(image: RootImage): void {
    this.#changes++;
    this.#image = image;
    this.#checked = performance.now();
  }

  /** Makes every later call fail. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  async #after(running: Promise<RootImage> | undefined): Promise<RootImage> {
    await running?.catch(() => undefined);
    const reading = this.#read();
    this.#running = reading;
    this.#next = undefined;
    return reading;
  }

  async #read(): Promise<RootImage> {
    const changes = this.#changes;
    try {
      this.#accept(await this.#store.readRoot(), changes);
    } catch (error) {
      if (error instanceof StoreLostError) this.fail(error);
      throw error;
    }
    return this.known;
  }

  #accept(found: RootImage | undefined, changes: number): void {
    if (!found) {
      throw new Error(
        'The root of this metadata store is gone: something else removed it. ' +
          'Restore the Keyv store from a backup.',
      );
    }
    const { epoch, owner, generation, lineage } = found.root;
    const mine = this.#image.root;
    if (owner !== this.#owner) {
      // A lower epoch means that a previous writer's root arrived late. The next swap overwrites
      // it.
      if (this.#store.atomic || epoch > mine.epoch) throw new FencedError();
      this.#checked = performance.now();
      return;
    }
    // Otherwise all records would look absent, and what is written now would be lost with that store.
    // Processes of earlier versions write roots without a lineage.
    if (lineage !== '' && lineage !== mine.lineage) throw new ReplacedError();
    const concurrent = changes !== this.#changes;
    const { atomic } = this.#store;
    const older = generation < mine.generation;
    const isExplained = concurrent || this.#store.mayBeLate(found);
    // Several writers go on with the earlier state.
    if (older && !isExplained && owner !== '') throw new RolledBackError();
    const isNext = atomic
      ? !(older && concurrent)
      : this.unknown !== undefined && generation > mine.generation;
    if (isNext && found.stored !== this.#image.stored) this.adopt(found);
    else this.#checked = performance.now();
  }
}
