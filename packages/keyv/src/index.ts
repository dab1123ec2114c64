export type { AtomicAdapter, AtomicSwap } from './atomic-pages.js';
export type { TreeReport } from './check-tree.js';
export type { KeyvLike } from './keyv-like.js';
export { type KeyvMetadata, keyvMetadata } from './keyv-metadata.js';
export type { KeyvMetadataOptions } from './keyv-options.js';
export { FencedError, ReplacedError, RolledBackError } from './page-store.js';
export { type PostgresPool, PostgresStore, type PostgresStoreOptions } from './postgres-store.js';
export { type SqliteDatabase, SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
