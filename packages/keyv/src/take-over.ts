import { randomBytes } from 'node:crypto';
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

/**
 * Reads the root of a store, creates a new one, or takes the store over from its writer. Several
 * writers share a claim. Without it, a process that opens the store for itself could not stop them.
 */
export async function openShared(store: AtomicPages, opener: Opener): Promise<RootImage> {
  const { owner } = opener;
  // In this order: a process that opens the store at the same time stores the root before it reports it.
  const old = await store.readClaim();
  const before = (await store.readRoot())?.root;
  checkName(before, opener);
  requireRoot(before, old);
  const isOwn = old?.token === owner;
  const claim = isOwn
    ? old
    : { epoch: nextEpoch(before, old), token: owner, made: before !== undefined };
  if (!isOwn) await store.claim(claim);
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    // The previous writer may have changed the root before it lost its claim.
    const found = await store.readRoot();
    checkName(found?.root, opener);
    requireRoot(found?.root, old);
    const isShared = owner === '' && found?.root.owner === '';
    const epoch = Math.max((found?.root.epoch ?? 0) + 1, claim.epoch);
    const image = isShared ? found : await takeOver(store, found, opener, epoch);
    if (!image) continue;
    if (!claim.made) await store.claim({ ...claim, made: true });
    return image;
  }
  throw new Error('The metadata store could not be taken over, because its root keeps changing.');
}

/**
 * Stores the claim first. From then on, the previous writer reports no commit as done, so the root
 * that is read afterwards contains every reported commit.
 */
export async function openClaimed(store: CheckedPages, opener: Opener): Promise<RootImage> {
  const [before, old] = await Promise.all([store.readRoot(), store.readClaim()]);
  checkName(before?.root, opener);
  requireRoot(before?.root, old);
  const epoch = nextEpoch(before?.root, old);
  const claim = { epoch, token: opener.owner };
  await store.claim({ ...claim, made: before !== undefined });
  const image = await store.readRoot();
  const swapped = await takeOver(store, image, opener, epoch);
  if (!before) await store.claim({ ...claim, made: true });
  return swapped as RootImage;
}

/** Higher than that of any earlier writer, whether it stored its root or only its claim. */
const nextEpoch = (root: Root | undefined, claim: Claim | undefined): number =>
  Math.max(root?.epoch ?? 0, claim?.epoch ?? 0) + 1;

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
    lineage: root?.lineage ?? randomBytes(8).toString('hex'),
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
