import type { Hashed, Wanted } from '../hashing.js';

/** Messages between the main thread and a hashing thread. */

/** The size of a slot: memory that both threads share, through which the data of bodies passes. */
export const SLOT_BYTES = 256 * 1024;

/** `id` is that of a body. */
export type HashRequest = { readonly id: number } & (
  | { readonly kind: 'begin'; readonly wanted: Wanted }
  | { readonly kind: 'update'; readonly slot: number; readonly length: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'drop' }
);

export type HashAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'hashed'; readonly id: number; readonly slot: number }
  | { readonly kind: 'ended'; readonly id: number; readonly hashed: Hashed };
