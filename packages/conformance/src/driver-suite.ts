import { register, runCase, type TestFunction } from './suite.js';

/** A store for one case. */
export interface DriverFixture<Store> {
  /** An empty store that only this case uses. The suite closes it. */
  readonly store: Store;
  /** Opens the store again after it was closed. The suite also closes the result. */
  readonly reopen?: () => Promise<Store>;
  /** Called after all stores of the case are closed, even if the case failed. */
  readonly dispose?: () => Promise<void>;
}

export interface DriverSuiteOptions {
  /**
   * Whether data outlives a closed store. `false`, for stores in memory, omits the cases that open
   * a store again. Default `true`.
   */
  readonly persistent?: boolean;
}

export interface BlobStoreSuiteOptions extends DriverSuiteOptions {
  /**
   * Whether blobs can grow. `false`, for stores without `append`, omits the cases about it. Default
   * `true`.
   */
  readonly appends?: boolean;
}

/** Prepares a case. Cases may run concurrently. */
export type OpenDriver<Store> = () => Promise<DriverFixture<Store>>;

/** A promise of a contract, with its check. */
export interface DriverRule<Store> {
  readonly id: string;
  readonly name: string;
  /** Whether the case opens the store again. */
  readonly reopens?: boolean;
  /** Whether the case is only for blobs that can grow, or only for those that cannot. */
  readonly appends?: boolean;
  /** Rejects if the promise does not hold. Close the store before you call `reopen`. */
  prove(store: Store, reopen: () => Promise<Store>): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

/** Registers a test for each promise of a contract. */
export function driverSuite<Store extends Closable>(
  contract: string,
  rules: readonly DriverRule<Store>[],
  test: TestFunction,
  open: OpenDriver<Store>,
  options: BlobStoreSuiteOptions = {},
): void {
  const { persistent = true, appends = true } = options;
  const proved = rules.filter(
    (rule) => (persistent || !rule.reopens) && (rule.appends ?? appends) === appends,
  );
  register(test, proved, async (rule) => {
    const { store, reopen, dispose } = await open();
    const stores = [store];
    const again = async (): Promise<Store> => {
      if (reopen === undefined) throw new TypeError(NO_REOPEN);
      const opened = await reopen();
      stores.push(opened);
      return opened;
    };
    const closeAll = () => Promise.all(stores.map((opened) => opened.close()));
    await runCase(contract, rule, () => rule.prove(store, again), [closeAll, dispose]);
  });
}

const NO_REOPEN =
  'open() returned no reopen. Return one, or pass { persistent: false } if data does not outlive the store.';
