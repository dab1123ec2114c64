/** The messages between the main thread and the thread that writes. */

export interface Request {
  readonly expect: readonly { readonly key: Uint8Array; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
  readonly delete: readonly Uint8Array[];
}

/**
 * Either the version of each request, or `undefined` if one of its expectations did not hold; or
 * why none of them was committed.
 */
export type Answer =
  | { readonly versions: readonly (string | undefined)[] }
  | { readonly failure: Failure };

/** An error as passed between threads. */
export interface Failure {
  readonly message: string;
  readonly code?: string | undefined;
}
