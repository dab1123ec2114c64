import type { AtomicAdapter, AtomicSwap } from './atomic-pages.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import { decodeText, encodeText, type FullKeyv } from './keyv-like.js';
import { isForbidden } from './redis-server.js';

/**
 * Checks with temporary keys, which begin with `key`, that the adapter's compare-and-set works on
 * the values that Keyv reads and writes. Resolves to what Keyv puts before each key that it passes
 * to the adapter.
 */
export async function probeAtomic(
  keyv: GuardedKeyv,
  adapter: AtomicAdapter,
  key: string,
): Promise<string> {
  const probe = new Probe(keyv, adapter, key);
  const namespace = await probe.findNamespace().catch(rejectForbidden);
  if (namespace !== undefined && (await probe.swaps(namespace).catch(rejectForbidden)))
    return namespace;
  throw new Error(
    'The swap of this Keyv adapter does not do what AtomicAdapter describes, or not with the values ' +
      'that Keyv reads and writes. Open the store with compareAndSet: false; then only one process ' +
      'may write.',
  );
}

class Probe {
  readonly #keyv: GuardedKeyv;
  readonly #adapter: AtomicAdapter;
  readonly #key: string;

  constructor(keyv: GuardedKeyv, adapter: AtomicAdapter, key: string) {
    this.#keyv = keyv;
    this.#adapter = adapter;
    this.#key = key;
  }

  /**
   * It depends on the version of Keyv, on its settings and on whether the adapter itself adds the
   * namespace. `undefined`: no candidate is right.
   */
  async findNamespace(): Promise<string | undefined> {
    await this.#keyv.set(this.#key, 'probe');
    const found = await Promise.all(
      namespacesOf(this.#keyv.keyv).map(async (namespace) => {
        const stored = await this.#keyv.get(namespace + this.#key, this.#adapter);
        return stored === undefined ? [] : [namespace];
      }),
    ).finally(() => this.#keyv.delete(this.#key));
    return found.flat()[0];
  }

  async swaps(namespace: string): Promise<boolean> {
    const names = [this.#key, `${this.#key}2`, `${this.#key}3`] as const;
    const [key, page, claim] = names.map((name) => namespace + name) as [string, string, string];
    const value = await encodeText(this.#keyv.keyv, 'probe');
    const swap = { key, claim: [claim, value], to: value, put: [], delete: [] } as const;
    try {
      await this.#keyv.set(names[2], 'probe');
      const created = { ...swap, from: undefined, put: [[page, value]] } as const;
      // Its result says nothing if the client has repeated it because the response was lost.
      await this.#swap(created);
      const wrong = { ...swap, from: value, delete: [page] } as const;
      if (await this.#swap({ ...wrong, from: `${value} ` })) return false;
      if (await this.#swap({ ...wrong, claim: [claim, `${value} `] })) return false;
      for (const name of names) if ((await this.#keyv.get(name)) !== 'probe') return false;
      const stored = await this.#keyv.run('read several keys', async () =>
        this.#adapter.getMany?.([key, page]),
      );
      for (const one of stored ?? [])
        if ((await decodeText(this.#keyv.keyv, one)) !== 'probe') return false;
      return await this.#swap({ ...swap, from: value, delete: [page] });
    } finally {
      for (const name of names) await this.#keyv.delete(name);
    }
  }

  #swap(swap: AtomicSwap): Promise<boolean> {
    return this.#keyv.run(`commit to ${swap.key}`, () => this.#adapter.swap(swap));
  }
}

function rejectForbidden(cause: unknown): never {
  if (!isForbidden(cause)) throw cause;
  throw new Error(
    'This server forbids a command that the store needs: allow EVAL, GET, MGET, SET and UNLINK. ' +
      'If it forbids only EVAL or MGET, you can also open the store with compareAndSet: false; ' +
      'then only one process may write.',
    { cause },
  );
}

/**
 * What Keyv may put before a key: nothing, as with an adapter that adds the namespace itself, or the
 * namespace with the separator of Keyv 5 or of an adapter that Keyv 6 wraps.
 */
function namespacesOf({ namespace, store }: FullKeyv): readonly string[] {
  if (!namespace) return [''];
  const { namespaceSeparator = '::' } = store as { namespaceSeparator?: string };
  return ['', ...new Set([':', namespaceSeparator])].map((end) => end && namespace + end);
}
