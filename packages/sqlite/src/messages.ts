/** The messages between the reading and the writing thread. */

export interface Request {
  readonly expect: readonly { readonly key: Uint8Array; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
  readonly delete: readonly Uint8Array[];
}

/**
 * The version of each request, or `undefined` when its expectations did not hold; or why none was
 * committed.
 */
export type Answer =
  | { readonly versions: readonly (string | undefined)[] }
  | { readonly failure: Failure };

/** An error in the form that is passed between threads. */
export interface Failure {
  readonly message: string;
  readonly code?: string | undefined;
}
