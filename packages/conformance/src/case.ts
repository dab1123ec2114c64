/** One rule of a contract, proved. Any test runner can loop over these. */
export interface Case {
  /** Stays the same when the wording of `name` changes. */
  readonly id: string;
  readonly name: string;
  /** Resolves when the rule holds, rejects with an assertion error when not. */
  run(): Promise<void>;
}
