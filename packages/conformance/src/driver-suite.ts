import { register, runCase, type TestFunction } from './suite.js';

/** What a case needs of a driver. */
export interface DriverFixture<Store> {
  /** Empty, and for this case alone. The suite closes it. */
  readonly store: Store;
  /** Opens what `store` held, after `store` was closed. The suite closes this one too. */
  readonly reopen?: () => Promise<Store>;
  /** Runs when all stores of the case are closed, also after a failed case. */
  readonly dispose?: () => Promise<void>;
}

export interface DriverSuiteOptions {
  /**
   * Whether the driver keeps what it holds when it is closed; default `true`. `false`, for memory,
   * leaves out the cases that open a store again.
   */
  readonly persistent?: boolean;
}

/** Makes what one case needs. Cases may run at the same time. */
export type OpenDriver<Store> = () => Promise<DriverFixture<Store>>;

/** One promise of a contract, with its proof. */
export interface DriverRule<Store> {
  readonly id: string;
  readonly name: string;
  /** The proof opens the store again. */
  readonly reopens?: boolean;
  /** Rejects when the promise does not hold. `reopen` wants the store closed. */
  prove(store: Store, reopen: () => Promise<Store>): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

/** Runs the rules of a contract against a driver: a test for each. */
export function driverSuite<Store extends Closable>(
  contract: string,
  rules: readonly DriverRule<Store>[],
  test: TestFunction,
  open: OpenDriver<Store>,
  { persistent = true }: DriverSuiteOptions = {},
): void {
  const proved = rules.filter(({ reopens = false }) => persistent || !reopens);
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
