import type { Change } from '../contracts/metadata-store.js';

/** Several parts of a change as one. */
export function together(...parts: readonly Change[]): Change {
  return {
    expect: parts.flatMap((part) => part.expect ?? []),
    put: parts.flatMap((part) => part.put ?? []),
    delete: parts.flatMap((part) => part.delete ?? []),
  };
}
