import type { MetadataStore } from '@bucketware/core';

/** A metadata store that can run a function before one of its calls. */
export function interruptible(inner: MetadataStore) {
  let left = Number.POSITIVE_INFINITY;
  let change: (() => Promise<void>) | undefined;
  const turn = async (): Promise<void> => {
    if (left-- > 0) return;
    const now = change;
    change = undefined;
    left = Number.POSITIVE_INFINITY; // The change itself is not interrupted.
    await now?.();
  };
  const metadata: MetadataStore = {
    get: (key) => turn().then(() => inner.get(key)),
    getMany: (keys) => turn().then(() => inner.getMany(keys)),
    list: (range) => turn().then(() => inner.list(range)),
    commit: (next) => turn().then(() => inner.commit(next)),
    close: () => inner.close(),
  };
  /** Runs `then` before the given call, counted from now. The result says whether it has run. */
  const interrupt = (at: number, then: () => Promise<void>): (() => boolean) => {
    left = at;
    change = then;
    return () => change === undefined;
  };
  return { metadata, inner, interrupt };
}

/** The records of a bucket: its settings, objects, uploads and parts, with all versions. */
export async function recordsOf(metadata: MetadataStore, bucketId: string): Promise<string> {
  const name = bucketId.split('~')[0] as string;
  const found = [];
  const list = (prefix: string) => metadata.list({ prefix, limit: 1000 });
  for (const kind of ['b', 'x', 'o', 'u']) {
    const prefix = kind === 'b' ? `b/${name}` : `${kind}/${bucketId}/`;
    for (const { key, version } of await list(prefix)) {
      found.push(`${key} ${version}`);
      if (kind !== 'u') continue;
      const parts = await list(`p/${key.slice(-32)}/`);
      found.push(...parts.map((part) => `${part.key} ${part.version}`));
    }
  }
  return found.join('\n');
}
