/** Host and raw path as the client wrote them. */
export interface Address {
  readonly host: string;
  /** The raw path, with the prefix of the mount and without the query. */
  readonly path: string;
  /** The prefix of the mount. Empty at the root. */
  readonly mount: string;
}
