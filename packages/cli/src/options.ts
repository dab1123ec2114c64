/** Options of all commands. */
export interface CommonOptions {
  readonly store?: string;
  readonly header?: readonly string[];
  readonly json?: boolean;
  readonly progress?: boolean;
}
