import { watched } from './gate.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { type CrashState, LONG_AFTER, Machine } from './verify.js';

/**
 * Opens and sweeps the storage, and crashes at a random change. Returns what is left after a power
 * cut, or everything if only the process is killed.
 */
export async function crashInRecovery(
  remains: CrashState,
  drivers: Drivers,
  time: number,
  random: Random,
  isKilled: boolean,
): Promise<CrashState> {
  let changes = 0;
  let chosen = remains;
  const machine: Machine = new Machine(
    remains,
    watched(() => {
      // Each change has the same probability of being the last one.
      if (random.below(++changes) > 0) return;
      chosen = { disk: machine.remains.disk.snapshot(), records: machine.remains.records };
    }),
  );
  const storage = await machine.open(drivers, () => time + LONG_AFTER);
  await storage.sweep();
  const { disk, records } = chosen;
  return { disk: isKilled ? disk.snapshot() : disk.cut(random, 0.5), records };
}
