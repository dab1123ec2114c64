import type { AtomicPages } from './atomic-pages.js';
import type { CheckedPages } from './checked-pages.js';
import type { Claim } from './claim.js';
import type { Pages } from './page-ids.js';
import type { PageStore, RootImage } from './page-store.js';
import type { Root } from './root.js';

/**
 * A commit of the previous writer may still arrive, with versions of its own. Each take-over skips
 * more versions than that commit can have.
 */
const SKIPPED_VERSIONS = 2 ** 20;

/** A try fails only if another process has changed the root meanwhile. */
const MAX_TRIES = 1000;

/** The process that opens the store. */
export interface Opener {
  /** The namespace. */
  readonly name: string;
  /** The token of the only writer; empty when several may write. */
  readonly owner: string;
}

/** Reads the root of a store, creates a new one, or takes the store over from its writer. */
export async function openShared(store: AtomicPages, opener: Opener): Promise<RootImage> {
  let claimed: number | undefined;
  for (let tries = 1; ; tries++) {
    const image = await store.readRoot();
    checkName(image?.root, opener);
    if (image && image.root.owner === '' && opener.owner === '') return image;
    if (claimed === undefined) {
      claimed = await replaceClaim(store, opener);
      // The previous writer may have changed the root before it lost its claim.
      if (claimed > 0) continue;
    }
    const epoch = Math.max(image?.root.epoch ?? 0, claimed) + 1;
    const swapped = await takeOver(store, image, opener, epoch);
    if (swapped) return swapped;
    if (tries >= MAX_TRIES) {
      throw new Error(
        'The metadata store could not be taken over, because its root keeps changing.',
      );
    }
  }
}

/**
 * A writer without compare-and-set would replace any root, but not without its claim. Resolves to
 * the epoch of the new claim, or to 0 if there was no claim.
 */
async function replaceClaim(store: AtomicPages, { owner }: Opener): Promise<number> {
  const old = await store.readClaim();
  if (!old) return 0;
  const root = (await store.readRoot())?.root;
  requireRoot(root, old);
  const epoch = Math.max(root?.epoch ?? 0, old.epoch) + 1;
  await store.claim({ epoch, token: owner, made: root !== undefined });
  return epoch;
}

/**
 * Stores the claim first. From then on, the previous writer reports no commit as done, so the root
 * that is read afterwards contains every reported commit.
 */
export async function openClaimed(store: CheckedPages, opener: Opener): Promise<RootImage> {
  const [before, old] = await Promise.all([store.readRoot(), store.readClaim()]);
  checkName(before?.root, opener);
  requireRoot(before?.root, old);
  const epoch = Math.max(before?.root.epoch ?? 0, old?.epoch ?? 0) + 1;
  const claim = { epoch, token: opener.owner };
  await store.claim({ ...claim, made: before !== undefined });
  const image = await store.readRoot();
  const swapped = await takeOver(store, image, opener, epoch);
  if (!before) await store.claim({ ...claim, made: true });
  return swapped as RootImage;
}

function requireRoot(root: Root | undefined, claim: Claim | undefined): void {
  if (root || !claim?.made) return;
  throw new Error(
    'The root of this metadata store is gone, although its writer created one. ' +
      'Restore the Keyv store from a backup.',
  );
}

function takeOver(
  store: PageStore,
  from: RootImage | undefined,
  { name, owner }: Opener,
  epoch: number,
): Promise<RootImage | undefined> {
  const root = from?.root;
  const to = {
    ...{ name, epoch, owner, next: 0, reserved: 0 },
    generation: (root?.generation ?? 0) + 1,
    sequence: (root?.sequence ?? 0) + SKIPPED_VERSIONS,
    tree: root?.tree,
    dropped: [...(root?.dropped ?? []), ...unfinished(root)],
    more: root?.more,
  };
  return store.swap({ from, to, pages: new Map(), removed: [] });
}

/**
 * The pages that an interrupted commit may have written. They are not removed at once, because the
 * root of that commit may still arrive, and its tree needs them.
 */
function unfinished(root: Root | undefined): Pages[] {
  if (!root || root.reserved === root.next) return [];
  return [{ token: root.owner, first: root.next, count: root.reserved - root.next }];
}

function checkName(root: Root | undefined, { name }: Opener): void {
  if (!root || root.name === name) return;
  throw new TypeError(
    `This Keyv has the namespace ${JSON.stringify(name)}, but its adapter shows the metadata ` +
      `store of the namespace ${JSON.stringify(root.name)}. Give each a different prefix.`,
  );
}
