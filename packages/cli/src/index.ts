import { CommanderError } from 'commander';
import { exitCodeOf, report } from './failures.js';
import { createProgram } from './program.js';

export { createProgram } from './program.js';

/**
 * Runs the command line. Resolves to its exit code: 0, 1 when something failed, 2 for wrong usage,
 * 130 after Ctrl-C.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the help or the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(error, args.includes('--json'));
    return exitCodeOf(error);
  }
}
