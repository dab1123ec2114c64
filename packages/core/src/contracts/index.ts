/*
 * The exports for drivers: the contracts, their errors, and helpers that several drivers need.
 * Importing it does not load the storage engine.
 */
export {
  checkOptions,
  checkStorage,
  type KnownOptions,
  kinds,
  type OptionKind,
} from '../options.js';
export { systemCode } from '../system-code.js';
export * from './blob-ids.js';
export * from './blob-store.js';
export * from './bytes-done.js';
export * from './credentials.js';
export * from './directories.js';
export * from './keys.js';
export * from './metadata-store.js';
export * from './place.js';
export * from './plain-data.js';
export * from './postgres-pools.js';
export * from './principal.js';
export { checkPrincipal, SYSTEM } from './principal-form.js';
export * from './signature-error.js';
export * from './signatures.js';
export * from './unreachable.js';
export * from './values.js';
