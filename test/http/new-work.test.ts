import { createYielder } from '@bucketware/core/dialect';
import test from 'ava';

const MANY = 300;

/** Works for 3 ms without waiting for anything. */
function work(): void {
  const end = performance.now() + 3;
  while (performance.now() < end);
}

test('new work gets its turn while other work continues without a pause', async (t) => {
  let steps = 0;
  let isOver = false;
  const goOn = async () => {
    const yieldIfDue = createYielder();
    while (!isOver && steps < MANY) {
      await yieldIfDue();
      work();
      steps++;
    }
  };
  const others = Promise.all(Array.from({ length: 10 }, goOn));
  while (steps < 20) await new Promise(setImmediate);
  const before = steps;
  const begin = createYielder();
  for (let turns = 0; turns < 3; turns++) await begin();
  const waited = steps - before;
  isOver = true;
  await others;
  t.true(waited < MANY / 4, `${waited} steps of others came first`);
});
