import { simulate } from '../simulator/simulation.js';
import { noTotals, type Totals, Violation } from '../simulator/witness.js';
import { optionsFor, wrongProtocols } from '../simulator/wrong-protocols.js';

export interface WrongRow {
  readonly name: string;
  /** How many states it took to detect the mistake. `undefined`: it was not detected. */
  readonly states: number | undefined;
  readonly runs: number;
}

/** How soon the simulator detects each wrong protocol. */
export async function catchWrongProtocols(most: number): Promise<WrongRow[]> {
  const rows: WrongRow[] = [];
  for (const protocol of wrongProtocols) {
    const totals = noTotals();
    let found: unknown;
    for (let seed = 1; found === undefined && totals.states < most; seed++) {
      found = await simulate(seed, totals, optionsFor(protocol)).catch((error: unknown) => error);
    }
    const caught = found instanceof Violation && !(found.cause instanceof TypeError);
    rows.push({
      name: protocol.name,
      states: caught ? totals.states : undefined,
      runs: totals.runs,
    });
  }
  return rows;
}

export interface SimulatedRow extends Totals {
  readonly seconds: number;
  readonly firstSeed: number;
  readonly violation: string | undefined;
}

/** Simulates the right protocol for this long. */
export async function simulateFor(seconds: number, firstSeed: number): Promise<SimulatedRow> {
  const totals = noTotals();
  const began = process.uptime();
  const elapsed = () => process.uptime() - began;
  let violation: string | undefined;
  for (let seed = firstSeed; elapsed() < seconds && violation === undefined; seed++) {
    await simulate(seed, totals).catch((error: Error) => {
      violation = error.message;
    });
  }
  return { ...totals, seconds: Math.round(elapsed()), firstSeed, violation };
}
