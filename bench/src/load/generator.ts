import { output } from '../run/processes.js';
import { autocannonLoad } from './autocannon.js';
import type { Generator } from './load.js';
import { wrkLoad } from './wrk.js';

/** wrk costs the least; where it is not installed, autocannon runs in a thread of its own. */
export async function findGenerator(): Promise<{ name: string; generate: Generator }> {
  const wrk = await output('wrk', ['-v']).catch(() => ({})); // It ends with 1 after its version.
  return wrk === undefined
    ? { name: 'autocannon', generate: autocannonLoad }
    : { name: 'wrk', generate: wrkLoad };
}
