import type { Permission } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';
import {
  type Admitted,
  asBucket,
  type Bucket,
  type Found,
  readBucket,
} from '../buckets/buckets.js';
import { knownGrants } from '../buckets/settings.js';
import type { FoundObject } from '../buckets/subject.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Actor } from '../events.js';
import { knownAcl } from '../objects/object-acl.js';
import { findObject } from '../objects/objects.js';
import type { Grant } from '../records/acls.js';
import { type BucketRecord, bucketRecords } from '../records/buckets.js';
import { readTogether, type Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import { askHost, type Caller, denied, type Right } from './authorization.js';
import { type Decision, decide, decideForSome, isOwner } from './decision.js';
import { FRESH_FOR, type Granted, type PermitSubject, sizeOf } from './granted-right.js';
import { type Openness, opennessByLists, opennessWithoutLists } from './openness.js';

/**
 * A caller's right to do one thing in a bucket. The version of the bucket's record also covers its
 * owner and lists: commits expect it, and if it has changed, the right is checked again.
 */
export class Permit implements Admitted {
  readonly #caller: Caller;
  /** The first is the operation's own right. Empty for the app itself, which may do everything. */
  readonly #granted: Granted[] = [];
  #bucket: Bucket;
  /** The bucket's list; `undefined` when it must be read again. */
  #grants: Promise<readonly Grant[]> | readonly Grant[] | undefined;
  /** What was read together with the bucket, until the bucket is read again. */
  #object: FoundObject | undefined;
  #readAt: number;
  #used = false;
  /** Throws when the bucket has changed and no longer allows what the request sets. */
  confirmInput: ((bucket: Bucket) => void) | undefined;

  /** Without a right, the permit holds while the bucket exists. */
  constructor(caller: Caller, { bucket, grants, object, readAt }: PermitSubject) {
    this.#caller = caller;
    this.#bucket = bucket;
    this.#grants = grants;
    this.#object = object;
    this.#readAt = readAt;
  }

  /** A separate permit for another object of the same bucket. The bucket's list is read once. */
  async for(right: Right): Promise<Permit> {
    const [bucket, readAt] = [this.#bucket, this.#readAt];
    const grants = this.#caller.trusted ? [] : await this.#bucketGrants();
    const permit = new Permit(this.#caller, { bucket, grants, object: undefined, readAt });
    await permit.require(right);
    return permit;
  }

  get actor(): Actor {
    const { operation, principal, requestId } = this.#caller;
    return { operation, principal, requestId };
  }

  get bucket(): Bucket {
    return this.#bucket;
  }

  get signal(): SignalOf {
    return this.#caller.signal;
  }

  /** Requires one more right, which must hold until the commit. Throws AccessDenied. */
  require(right: Right): Promise<void> | void {
    const { trusted, authorize, principal } = this.#caller;
    if (trusted) return;
    // Most callers are owners, for whom nothing is read and nothing is awaited.
    if (authorize === undefined && isOwner(this.#bucket, principal)) {
      this.#granted.push({ right, decision: 'yes', size: undefined, object: undefined });
      return;
    }
    return this.#require(right);
  }

  async #require(right: Right): Promise<void> {
    const granted = await this.#look(right);
    if (!(await this.#ask(granted))) throw denied(this.#caller, right);
    this.#granted.push(granted);
  }

  /** Whether the caller has one more right. */
  async allows(right: Right): Promise<boolean> {
    if (this.#caller.trusted) return true;
    return this.#ask(await this.#look(right));
  }

  /**
   * Throws AccessDenied when no grant gives the caller this right on any object. An app's own rule
   * can decide only for a specific object.
   */
  async requireSome(permission: Permission): Promise<void> {
    const { store, principal, authorize, trusted } = this.#caller;
    if (trusted || authorize !== undefined) return;
    const right = { permission, bucket: this.#bucket, key: '', principal };
    const lists = { grants: await this.#bucketGrants(), settings: store.settings };
    if (!decideForSome(right, lists)) throw denied(this.#caller, right);
  }

  async current(): Promise<Bucket> {
    const isUsed = this.#used;
    this.#used = true;
    // The commit expects the version that was checked, so nothing has to be read again.
    if (!isUsed && this.isFresh()) return this.#bucket;
    return this.#renew(await readBucket(this.#caller.store, this.#bucket.name));
  }

  find(key: string): Promise<Found> | Found {
    const { bucket } = this;
    const known = this.#used || !this.isFresh() ? undefined : this.#object;
    this.#used = true;
    if (known?.key === key) return { bucket, entry: known.entry };
    return this.#find(key);
  }

  async #find(key: string): Promise<Found> {
    const { name, id } = this.#bucket;
    const refs = [bucketRecords.at(name), objectRecords.at({ bucketId: id, key })] as const;
    for (;;) {
      const before = this.#bucket.version;
      const [holder, entry] = await readTogether(this.#caller.store.metadata, ...refs);
      // A right that was checked again may be newer than the object, so the object is read again.
      const bucket = await this.holds(holder);
      if (bucket.version === before) return { bucket, entry };
    }
  }

  holds(entry: Stored<BucketRecord> | undefined): Promise<Bucket> | Bucket {
    if (entry?.version === this.#bucket.version && this.isFresh()) return this.#bucket;
    return this.#renew(asBucket(this.#bucket.name, entry));
  }

  async confirm(): Promise<void> {
    await this.holds(await bucketRecords.get(this.#caller.store.metadata, this.#bucket.name));
  }

  confirmObject(object: ObjectRecord | undefined): Promise<void> | void {
    if (this.#granted.some(({ right }) => this.#needsObject(right))) return this.#confirm(object);
  }

  async #confirm(object: ObjectRecord | undefined): Promise<void> {
    for (const granted of this.#granted) {
      const { right, decision, size } = granted;
      if (!this.#needsObject(right) || (object !== undefined && granted.object === object))
        continue;
      granted.object = object;
      granted.decision = await this.#decide(right, object);
      granted.size = sizeOf(right, object);
      if (granted.decision === decision && granted.size === size) continue;
      if (!(await this.#ask(granted))) throw denied(this.#caller, right);
    }
  }

  /** Who may read the object. */
  opennessOf(key: string, object: ObjectRecord): Promise<Openness> | Openness {
    const bucket = this.#bucket;
    const openness = opennessWithoutLists(this.#caller, bucket, object);
    if (openness !== undefined) return openness;
    const grants = () => this.#readGrants();
    return opennessByLists(this.#caller, { bucket, key, grants }, object);
  }

  mayReplace(existing: ObjectRecord | undefined): void {
    if (existing !== undefined) this.mayModify();
    else if (this.#granted[0]?.decision === 'replace') throw new StorageError('OnlyAllowModify');
  }

  mayModify(): void {
    if (!this.#granted.some(({ decision }) => decision === 'add')) return;
    const message = 'You may add objects here, but not change or replace existing ones.';
    throw new StorageError('AccessDenied', message);
  }

  isFresh(): boolean {
    return Math.abs(this.#caller.store.now() - this.#readAt) <= FRESH_FOR;
  }

  async #renew(bucket: Bucket): Promise<Bucket> {
    const before = this.#bucket;
    // A different bucket now has the name, and no right to it was checked.
    if (bucket.id !== before.id) throw new StorageError('NoSuchBucket');
    if (bucket.version === before.version && this.isFresh()) return before;
    this.#bucket = bucket;
    this.#object = undefined;
    this.#grants = undefined;
    this.#readAt = this.#caller.store.now();
    for (const granted of this.#granted) {
      Object.assign(granted, await this.#look(granted.right));
      if (!(await this.#ask(granted))) throw denied(this.#caller, granted.right);
    }
    this.confirmInput?.(bucket);
    return bucket;
  }

  /** The current decision of the default rule. */
  async #look(right: Right): Promise<Granted> {
    const object = this.#needsObject(right) ? await this.#lookUp(right.key) : undefined;
    const decision = await this.#decide(right, object);
    return { right, decision, size: sizeOf(right, object), object };
  }

  async #lookUp(key: string): Promise<ObjectRecord | undefined> {
    if (this.#object?.key === key) return this.#object.entry?.value;
    return findObject(this.#caller.store, this.#bucket, key);
  }

  /** Calls the app's own rule, whose decision is final. */
  async #ask({ right, decision, size }: Granted): Promise<boolean> {
    const allowed = decision === 'replace' ? this.#caller.modifies : decision !== 'no';
    return askHost(this.#caller, { ...right, size, bucketName: this.#bucket.name }, allowed);
  }

  /** The decision of the default rule. */
  async #decide(right: Right, object: ObjectRecord | undefined): Promise<Decision> {
    const { store, principal, signal } = this.#caller;
    const own = object && (await knownAcl(store, this.#bucket, object, signal));
    const lists = { grants: await this.#bucketGrants(), own, settings: store.settings };
    return decide({ ...right, bucket: this.#bucket, principal }, lists);
  }

  /** The list of the bucket. The owner needs none. */
  #bucketGrants(): Promise<readonly Grant[]> | readonly Grant[] {
    return isOwner(this.#bucket, this.#caller.principal) ? [] : this.#readGrants();
  }

  #readGrants(): Promise<readonly Grant[]> | readonly Grant[] {
    this.#grants ??= knownGrants(this.#caller.store, this.#bucket, this.#caller.signal);
    return this.#grants;
  }

  /** Whether the decision depends on the object: on its own list, or on its size. */
  #needsObject({ key, readsObject, permission, sizeOf }: Right): boolean {
    if (sizeOf !== undefined && this.#caller.authorize !== undefined) return true;
    const counts = key !== '' && (readsObject === true || permission === 'FULL_CONTROL');
    return counts && !isOwner(this.#bucket, this.#caller.principal);
  }
}
