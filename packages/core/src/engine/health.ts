import { within } from '../contracts/unreachable.js';
import { storeRecord } from './records/store-identity.js';
import type { Store } from './store.js';

/** The options of `storage.health()`. */
export interface HealthOptions {
  /** How long each backend has to respond, in milliseconds. Default 5,000. */
  readonly timeout?: number | undefined;
}

/** The health of a storage's backends. */
export interface Health {
  /** Whether both backends are healthy. */
  readonly ok: boolean;
  /** The health of the metadata store. */
  readonly records: BackendHealth;
  /** The health of the blob store. */
  readonly blobs: BackendHealth;
}

/** The health of one backend. */
export interface BackendHealth {
  readonly ok: boolean;
  /** How long the backend took to respond or to fail, in milliseconds. */
  readonly milliseconds: number;
  /**
   * The failure, for your logs. It may contain host names and paths, so do not show it to clients.
   */
  readonly error?: Error;
}

/**
 * Checks that both backends respond and still belong to this storage, and that the metadata store
 * accepts a commit (which changes nothing). Never rejects.
 */
export async function health(
  { metadata, blobs }: Store,
  { timeout = 5000 }: HealthOptions,
): Promise<Health> {
  const [records, bytes] = await Promise.all([
    probe('The metadata store', timeout, async () => {
      const identity = await storeRecord.get(metadata, undefined);
      await metadata.commit({});
      return identity?.value.id;
    }),
    probe('The blob store', timeout, () => blobs.identity()),
  ]);
  const isOther = records.ok && bytes.ok && (records.id === undefined || records.id !== bytes.id);
  const message = `The records belong to the storage ${records.id}, the blobs to ${bytes.id ?? 'none'}.`;
  return {
    ok: records.ok && bytes.ok && !isOther,
    records: without(records, isOther && records.id === undefined, message),
    blobs: without(bytes, isOther && records.id !== undefined, message),
  };
}

type Answer = BackendHealth & { readonly id?: string | undefined };

const without = ({ id, ...health }: Answer, isWrong: boolean, message: string): BackendHealth =>
  isWrong ? { ...health, ok: false, error: new Error(message) } : health;

async function probe(
  what: string,
  timeout: number,
  ask: () => Promise<string | undefined>,
): Promise<Answer> {
  const begun = performance.now();
  const took = () => Math.round(performance.now() - begun);
  try {
    const id = await within(timeout, `${what} did not respond within ${timeout} ms.`, ask());
    return { ok: true, milliseconds: took(), id };
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    return { ok: false, milliseconds: took(), error };
  }
}
