/** Host and raw path as the client wrote them. */
export interface Address {
  readonly host: string;
  /** With the prefix of the mount, without the query. */
  readonly path: string;
  /** The prefix of the mount. Empty at the root. */
  readonly mount: string;
}
