/**
 * Registers one test: `test` of ava, of vitest or of node:test, or a function of your own around it
 * that changes titles, sets a timeout or collects the cases. Pass the runner's own argument of a
 * test on, if it has one.
 */
export type TestFunction = (name: string, run: (...given: unknown[]) => Promise<void>) => unknown;

/** One promise of a contract. A test's title is the id, which never changes, and the name. */
interface Promised {
  readonly id: string;
  readonly name: string;
}

/** Registers one test for each promise. */
export function register<Rule extends Promised>(
  test: TestFunction,
  rules: readonly Rule[],
  prove: (rule: Rule) => Promise<void>,
): void {
  for (const rule of rules) {
    // Rest parameters leave the function's length at 0: some runners see a callback in a first one.
    test(`${rule.id}: ${rule.name}`, async (...[given]) => {
      await prove(rule);
      // Ava fails a test that made none of its own assertions. Other runners have no `pass`.
      (given as { pass?: () => void } | undefined)?.pass?.();
    });
  }
}

/** Runs a case, then every clean-up. A failure of the case comes before one of a clean-up. */
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

/** The failure of a case: the promise that does not hold. `cause` is the failed assertion. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';

  constructor(contract: string, { id, name }: Promised, cause: unknown) {
    const shown = cause instanceof Error ? cause.message : String(cause);
    super(`${contract} promises: ${name} (${id}). Here it does not hold:\n${shown}`, { cause });
  }
}
