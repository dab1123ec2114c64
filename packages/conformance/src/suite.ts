/**
 * Registers a test: the `test` function of ava, vitest or node:test, or your own function around it
 * that changes titles, sets a timeout or collects the cases. If the runner passes an argument to a
 * test, pass it on.
 */
export type TestFunction = (name: string, run: (...given: unknown[]) => Promise<void>) => unknown;

/**
 * A promise of a contract. The title of its test consists of the id, which never changes, and name.
 */
interface Promised {
  readonly id: string;
  readonly name: string;
}

/** Registers a test for each promise. */
export function register<Rule extends Promised>(
  test: TestFunction,
  rules: readonly Rule[],
  prove: (rule: Rule) => Promise<void>,
): void {
  for (const rule of rules) {
    // A rest parameter keeps the function's length at 0: some runners treat a first one as a
    // callback.
    test(`${rule.id}: ${rule.name}`, async (...[given]) => {
      await prove(rule);
      // ava fails a test without any of its own assertions. Other runners have no `pass`.
      (given as { pass?: () => void } | undefined)?.pass?.();
    });
  }
}

/**
 * Runs a case, then every clean-up. A failure of the case takes precedence over one of a clean-up.
 */
export async function runCase(
  contract: string,
  rule: Promised,
  prove: () => Promise<void>,
  cleanUps: readonly ((() => Promise<unknown>) | undefined)[],
): Promise<void> {
  const failures: unknown[] = [];
  await prove().catch((cause: unknown) => {
    failures.push(new ConformanceError(contract, rule, cause));
  });
  for (const cleanUp of cleanUps) {
    try {
      await cleanUp?.();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Thrown when a promise of a contract does not hold. `cause` is the failed assertion. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';

  constructor(contract: string, { id, name }: Promised, cause: unknown) {
    const shown = cause instanceof Error ? cause.message : String(cause);
    super(`${contract} promises: ${name} (${id}). Here it does not hold:\n${shown}`, { cause });
  }
}
