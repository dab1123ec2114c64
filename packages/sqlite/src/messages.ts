/** What the thread that reads and the thread that writes say to each other. */

export interface Request {
  readonly expect: readonly { readonly key: Uint8Array; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
  readonly delete: readonly Uint8Array[];
}

/** For each request its version, or `undefined` when it did not apply; or why none was committed. */
export type Answer =
  | { readonly versions: readonly (string | undefined)[] }
  | { readonly failure: Failure };

/** An error as it passes from one thread to the other, without what only its own thread knows. */
export interface Failure {
  readonly message: string;
  readonly code?: string | undefined;
}
