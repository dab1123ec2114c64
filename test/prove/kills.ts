import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../simulator/random.js';
import { inspect } from './inspect.js';
import { Load } from './load.js';
import { sh } from './machine.js';
import { startServer } from './process.js';

export interface KillRow {
  readonly kills: number;
  readonly seed: number;
  readonly acknowledged: number;
  readonly broken: number;
  readonly missing: number;
  readonly orphans: number;
  readonly examples: readonly string[];
}

/** kill -9 at random points, again and again on one store that is looked at after each. */
export async function killOften(work: string, kills: number, seed: number): Promise<KillRow> {
  const directory = `${work}/kills`;
  const random = new Random(seed);
  const load = new Load(random);
  const row = { broken: 0, missing: 0, orphans: 0, examples: [] as string[] };
  for (let count = 0; count < kills; count++) {
    const server = await startServer(directory);
    if (count === 0) await load.prepare(server.origin);
    const working = load.run(server.origin, 10, () => false);
    await sleep(20 + random.below(400));
    const answered = load.answeredNow();
    await server.kill();
    await working;
    const found = await inspect(directory, load, load.bounds(answered));
    row.broken += found.broken.length;
    row.missing += found.missing;
    row.orphans += found.orphans;
    row.examples.push(...found.broken.slice(0, 1));
  }
  await sh('rm', '-rf', directory);
  return {
    kills,
    seed,
    acknowledged: load.acknowledged,
    ...row,
    examples: row.examples.slice(0, 3),
  };
}
