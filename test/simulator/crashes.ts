import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { simulate } from './simulation.js';
import { noTotals, type Totals } from './witness.js';
import type { Task } from './worker.js';

const { SEED, SIM_STATES } = process.env;
const states = Number(SIM_STATES ?? 100_000);

interface Outcome {
  readonly totals: Totals;
  readonly violation: string | undefined;
}

async function inThread(task: Task): Promise<Outcome> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: task,
    resourceLimits: { maxYoungGenerationSizeMb: 192 },
  });
  const [outcome] = (await once(worker, 'message')) as [Outcome];
  return outcome;
}

/**
 * SEED=<n> repeats one seed. SIM_STATES=<n> examines that many states, however long it takes.
 * Without it, the test ends after `seconds`, but not before it has examined `fewest` states, so
 * that the result is meaningful on a slow machine too.
 */
export function testCrashes(time: { readonly seconds: number; readonly fewest: number }): void {
  const seconds = SIM_STATES === undefined ? time.seconds : 100_000;
  const fewest = Math.min(time.fewest, states);
  test.serial(
    'after a crash at any step, all acknowledged data is complete, and nothing is left over',
    async (t) => {
      t.timeout(10 * seconds * 1000);
      if (SEED !== undefined) {
        await simulate(Number(SEED), noTotals());
        return t.pass();
      }
      const threads = Math.min(4, availableParallelism());
      const atLeast = fewest / threads;
      const began = performance.now();
      const outcomes = await Promise.all(
        Array.from({ length: threads }, (_, index) =>
          inThread({
            firstSeed: 1 + index,
            stride: threads,
            states: states / threads,
            seconds,
            atLeast,
          }),
        ),
      );
      const sum = noTotals();
      for (const { totals } of outcomes) {
        for (const name of Object.keys(sum) as (keyof Totals)[]) sum[name] += totals[name];
      }
      const took = ((performance.now() - began) / 1000).toFixed(1);
      t.log(
        `${sum.states} states after a crash (${sum.recoveries} of them in a recovery, ` +
          `${sum.manifests} with manifests) in ${took} s, ${sum.comparedAgain} known ones compared again, ` +
          `${sum.runs} runs, ${sum.operations} operations, ${sum.steps} steps, ${sum.faults} failures, ` +
          `${sum.otherBuckets} that outlived their bucket, ${sum.otherLists} a change of their rights`,
      );
      for (const { violation } of outcomes) t.is(violation, undefined);
      t.true(sum.states >= fewest, 'So few states prove nothing.');
      t.true(sum.otherBuckets > 0 && sum.otherLists > 0);
      t.true(sum.recoveries > sum.states / 100 && sum.manifests > sum.states / 20);
    },
  );
}
