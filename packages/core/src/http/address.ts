/** Host and raw path as a client has written them. */
export interface Address {
  readonly host: string;
  /** With the prefix of the mount, without query. */
  readonly path: string;
}
