import test from 'ava';
import { cephLoad } from '../outages/ceph-load.js';
import { NOTHING_WRONG } from '../outages/mixed-load.js';

test('three hosts on PostgreSQL and a Ceph gateway lose nothing in kills and outages', async (t) => {
  t.timeout(10 * 60_000);
  const outcome = await cephLoad(1);
  if (typeof outcome === 'string') {
    t.log(`SKIPPED: ${outcome}.`);
    return t.pass();
  }
  const { calls, unanswered, ...found } = outcome;
  t.deepEqual(found, NOTHING_WRONG);
  t.true(calls > 100);
  t.log(`${calls} calls, ${unanswered} without an answer`);
});
