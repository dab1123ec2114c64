import { lmdbMetadata } from '@bucketware/lmdb';

/** Reads a snapshot of the records until it is killed. */
const store = await lmdbMetadata({ directory: process.argv[2] as string, durability: 'relaxed' });
const snapshot = await store.snapshot?.();
const [entry] = (await snapshot?.list({ prefix: '', limit: 1 })) ?? [];
process.send?.(entry?.key);
setInterval(() => {}, 1000);
