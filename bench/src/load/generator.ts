import { output } from '../run/processes.js';
import { autocannonLoad } from './autocannon.js';
import type { Generator } from './load.js';
import { wrkLoad } from './wrk.js';

/** Uses wrk, which takes the least CPU time, or autocannon in a thread if wrk is not installed. */
export async function findGenerator(): Promise<{ name: string; generate: Generator }> {
  const wrk = await output('wrk', ['-v']).catch(() => ({})); // wrk exits with 1 after printing its version.
  return wrk === undefined
    ? { name: 'autocannon', generate: autocannonLoad }
    : { name: 'wrk', generate: wrkLoad };
}
