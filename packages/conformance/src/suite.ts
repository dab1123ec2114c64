/**
 * Registers one test: `test` of ava, of vitest or of node:test, or a function of your own around it
 * that changes titles, sets a timeout or collects the cases. Pass the runner's own argument of a
 * test on, if it has one.
 */
export type TestFunction = (name: string, run: (...given: unknown[]) => Promise<void>) => unknown;

/** One sentence of a contract. A title is its id, which stays when the wording changes, and its name. */
interface Sentence {
  readonly id: string;
  readonly name: string;
}

/** Makes a test of each sentence. */
export function register<Rule extends Sentence>(
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
  rule: Sentence,
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

/** The failure of a case: the sentence that does not hold, and what showed it, which is `cause`. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';

  constructor(contract: string, { id, name }: Sentence, cause: unknown) {
    const shown = cause instanceof Error ? cause.message : String(cause);
    super(`${contract} promises: ${name} (${id}). Here it does not hold:\n${shown}`, { cause });
  }
}
