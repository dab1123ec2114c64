import { watched } from './gate.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { LONG_AFTER, Machine, type Remains } from './verify.js';

/**
 * Opens and sweeps, and crashes somewhere on the way. Returns what that leaves: what a power cut
 * does, or all of it when only the process is killed.
 */
export async function crashInRecovery(
  remains: Remains,
  drivers: Drivers,
  time: number,
  random: Random,
  isKilled: boolean,
): Promise<Remains> {
  let changes = 0;
  let chosen = remains;
  const machine: Machine = new Machine(
    remains,
    watched(() => {
      // Each change is the last one with the same probability.
      if (random.below(++changes) > 0) return;
      chosen = { disk: machine.remains.disk.snapshot(), records: machine.remains.records };
    }),
  );
  const storage = await machine.open(drivers, () => time + LONG_AFTER);
  await storage.sweep();
  const { disk, records } = chosen;
  return { disk: isKilled ? disk.snapshot() : disk.cut(random, 0.5), records };
}
