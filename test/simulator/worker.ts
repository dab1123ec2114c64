/**
 * A thread that runs seeds until the time is over, enough states were examined or something is
 * wrong.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './simulation.js';
import { noTotals } from './witness.js';

export interface Task {
  readonly firstSeed: number;
  readonly stride: number;
  readonly states: number;
  readonly seconds: number;
  /** The minimum number of states, however long they take. */
  readonly atLeast: number;
}

const { firstSeed, stride, states, seconds, atLeast } = workerData as Task;
const totals = noTotals();
// The clock of `performance` stands still in a simulation.
const end = process.uptime() + seconds;
let violation: string | undefined;
const isOver = () =>
  totals.states >= states || (process.uptime() >= end && totals.states >= atLeast);
for (let seed = firstSeed; !isOver(); seed += stride) {
  try {
    await simulate(seed, totals);
  } catch (error) {
    violation = (error as Error).message;
    break;
  }
}
parentPort?.postMessage({ totals, violation });
