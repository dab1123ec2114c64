import test from 'ava';
import { testCrashes } from './crashes.js';
import { simulate } from './simulation.js';
import { noTotals, type Totals } from './witness.js';

testCrashes({ seconds: 5, fewest: 4_000 });

test.serial('the same seed results in the same run', async (t) => {
  const runs = [noTotals(), noTotals()];
  for (const totals of runs) await simulate(7, totals);
  t.deepEqual(runs[0], runs[1]);
  t.true((runs[0] as Totals).states > 100);
});
