import test from 'ava';
import { simulate } from '../simulator/simulation.js';
import { noTotals, Violation } from '../simulator/witness.js';
import { optionsFor, wrongProtocols } from '../simulator/wrong-protocols.js';

const MOST_STATES = 200_000;

for (const protocol of wrongProtocols) {
  const { name } = protocol;
  test.serial(`the simulator detects: ${name}`, async (t) => {
    t.timeout(300_000);
    const totals = noTotals();
    let found: unknown;
    for (let seed = 1; found === undefined && totals.states < MOST_STATES; seed++) {
      const options = optionsFor(protocol);
      found = await simulate(seed, totals, options).catch((error: unknown) => error);
    }
    t.true(found instanceof Violation, `${totals.states} states, and nothing was found`);
    // An error in the code of the wrong protocol would prove nothing.
    t.false((found as Violation).cause instanceof TypeError, (found as Violation).message);
    const [, what = ''] = (found as Violation).message.split('\n');
    t.log(`after ${totals.states} states, ${totals.runs} runs: ${what.trim().slice(0, 120)}`);
  });
}
