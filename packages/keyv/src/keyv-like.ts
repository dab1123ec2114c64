/** The methods of a `Keyv` that the store uses. Keyv 5.6 and 6.1 both have them. */
export interface KeyvLike {
  readonly store: unknown;
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

/** Members that only one of the two versions has, or that Keyv does not declare. */
export interface KeyvExtras {
  throwOnErrors?: boolean;
  opts?: Record<string, unknown>;
  ttl?: number | undefined;
  namespace?: string | undefined;
  useKeyPrefix?: boolean;
  sanitize?: { enabled?: boolean };
  off?(event: 'error', listener: (error: unknown) => void): unknown;
  disconnect?(): Promise<unknown>;
  /** Keyv 5 */
  serializeData?(data: { value: unknown }): Promise<unknown>;
  deserializeData?(data: unknown): Promise<{ value?: unknown } | undefined>;
  /** Keyv 6 */
  encode?(data: { value: unknown }): Promise<unknown>;
  decode?(data: unknown): Promise<{ value?: unknown } | undefined>;
}

export type FullKeyv = KeyvLike & KeyvExtras;

/** Throws a `TypeError` for anything but a Keyv, such as an adapter. */
export function checkKeyv(given: unknown): void {
  const keyv = (given ?? {}) as Partial<KeyvLike>;
  const methods = [keyv.get, keyv.set, keyv.delete, keyv.on];
  if (methods.every((method) => typeof method === 'function') && keyv.store) return;
  throw new TypeError('keyvMetadata() takes a Keyv, such as new Keyv({ store: adapter }).');
}

/** The adapter, unwrapped: Keyv 6 wraps the adapters of Keyv 5 and every Map-like object. */
export function adapterOf(keyv: KeyvLike): object {
  let adapter = keyv.store as object & { store?: object };
  while (isWrapper(adapter)) adapter = adapter.store;
  return adapter;
}

function isWrapper(adapter: object & { store?: unknown }): adapter is { store: object } {
  const { store } = adapter;
  return typeof store === 'object' && store !== null && 'get' in store && 'set' in store;
}

/** What Keyv passes to its adapter for a text. */
export async function encodeText(keyv: FullKeyv, text: string): Promise<string> {
  const encoded = await (keyv.encode ?? keyv.serializeData)?.call(keyv, { value: text });
  if (typeof encoded === 'string') return encoded;
  throw new Error('This Keyv does not serialize to text: remove its serialization setting.');
}

/** What Keyv reads from a value of its adapter. */
export async function decodeText(keyv: FullKeyv, stored: unknown): Promise<unknown> {
  return (await (keyv.decode ?? keyv.deserializeData)?.call(keyv, stored))?.value;
}
