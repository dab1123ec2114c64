import { register, runCase, type TestFunction } from './suite.js';

/** What one case works with. */
export interface DriverFixture<Store> {
  /** An empty store, for this case alone. The suite closes it. */
  readonly store: Store;
  /** Opens the store again after it was closed. The suite closes this one too. */
  readonly reopen?: () => Promise<Store>;
  /** Called after all stores of the case are closed, also when the case failed. */
  readonly dispose?: () => Promise<void>;
}

export interface DriverSuiteOptions {
  /**
   * Whether the driver keeps what it holds when it is closed; default `true`. `false`, for memory,
   * leaves out the cases that open a store again.
   */
  readonly persistent?: boolean;
}

export interface BlobStoreSuiteOptions extends DriverSuiteOptions {
  /**
   * Whether blobs can grow; default `true`. `false`, for a store that has no `append`, leaves out the
   * cases about it.
   */
  readonly appends?: boolean;
}

/** Prepares one case. Cases may run at the same time. */
export type OpenDriver<Store> = () => Promise<DriverFixture<Store>>;

/** One promise of a contract, and how it is checked. */
export interface DriverRule<Store> {
  readonly id: string;
  readonly name: string;
  /** Whether the case opens the store again. */
  readonly reopens?: boolean;
  /** Whether the case is only for blobs that can grow, or only for those that cannot. */
  readonly appends?: boolean;
  /** Rejects when the promise does not hold. Close the store before calling `reopen`. */
  prove(store: Store, reopen: () => Promise<Store>): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

/** Registers one test for each promise of a contract. */
export function driverSuite<Store extends Closable>(
  contract: string,
  rules: readonly DriverRule<Store>[],
  test: TestFunction,
  open: OpenDriver<Store>,
  { persistent = true, appends = true }: BlobStoreSuiteOptions = {},
): void {
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
  'open() gives no reopen. Give it, or pass { persistent: false } if nothing is kept.';
