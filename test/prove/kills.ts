import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../simulator/random.js';
import { inspect } from './inspect.js';
import { type Bounds, Load } from './load.js';
import { sh } from './machine.js';
import { startServer } from './process.js';
import { withTraced } from './traced.js';

export interface KillRow {
  readonly where: string;
  readonly kills: number;
  readonly seed: number;
  readonly acknowledged: number;
  readonly broken: number;
  readonly missing: number;
  readonly orphans: number;
  readonly examples: readonly string[];
}

/** The sum of what all kills of a kind left. */
class Tally {
  readonly #seed: number;
  readonly #examples: string[] = [];
  readonly #sum = { kills: 0, acknowledged: 0, broken: 0, missing: 0, orphans: 0 };

  constructor(seed: number) {
    this.#seed = seed;
  }

  async look(directory: string, load: Load, bounds: Bounds): Promise<void> {
    const { broken, missing, orphans } = await inspect(directory, load, bounds);
    this.#sum.kills++;
    this.#sum.broken += broken.length;
    this.#sum.missing += missing;
    this.#sum.orphans += orphans;
    this.#examples.push(...broken.slice(0, 1));
  }

  answered({ acknowledged }: Load): void {
    this.#sum.acknowledged += acknowledged;
  }

  row(where: string): KillRow {
    return { where, seed: this.#seed, ...this.#sum, examples: this.#examples.slice(0, 3) };
  }
}

/** kill -9 at random moments, repeatedly on two stores, which are examined after each kill. */
export async function killAtRandom(work: string, kills: number, seed: number): Promise<KillRow> {
  const tally = new Tally(seed);
  const lane = async (which: number) => {
    const directory = `${work}/kills${which}`;
    const random = new Random(seed + which);
    const load = new Load(random);
    for (let count = 0; count < kills / 2; count++) {
      const server = await startServer(directory);
      if (count === 0) await load.prepare(server.origin);
      const working = load.run(server.origin, 10, () => false);
      const goal = load.acknowledged + 1 + random.below(25);
      for (let waited = 0; waited < 400 && load.acknowledged < goal; waited++) await sleep(3);
      const answered = load.answeredNow();
      await server.kill();
      await working;
      await tally.look(directory, load, load.bounds(answered));
    }
    tally.answered(load);
    await sh('rm', '-rf', directory);
  };
  await Promise.all([lane(0), lane(1)]);
  return tally.row('at random instants');
}

/** Kills the server when it makes the k-th call of a kind. */
export async function killAtCalls(
  work: string,
  calls: string,
  most: number,
  seed: number,
): Promise<KillRow> {
  const tally = new Tally(seed);
  for (let step = 0; step < most; step++) {
    const at = 1 + step + Math.floor(step ** 2 / 4); // 1, 2, 4, 6, 9, 12, 16, 20
    const injection = { calls, fault: 'signal=KILL', at };
    await withTraced(work, injection, seed, async ({ directory, load, server, log }) => {
      if (server) await load.run(server.origin, 1, () => load.acknowledged > 40);
      const answered = load.answeredNow();
      // A rare call may not have been made.
      if (!(await log()).includes('+++ killed by SIGKILL +++')) return;
      await tally.look(directory, load, load.bounds(answered));
      tally.answered(load);
    });
  }
  return tally.row(`at the k-th ${calls}`);
}
