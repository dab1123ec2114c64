import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { OutcomeUnknownError, UnreachableError } from '@bucketware/core/contracts';
import { type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import fc from 'fast-check';
import { Keyv } from 'keyv';
import { FAULTS, type Fault, FaultyMap } from '../keyv/faulty-map.js';

/**
 * Some keys are long, so that a few of them make a tree of several levels, and some are not ASCII.
 */
const KEYS = Array.from({ length: 40 }, (_, index) => {
  const tail = index % 3 === 0 ? 'x'.repeat(1000) : index % 3 === 1 ? '😀\uffff' : '';
  return `k${(index * 7) % 40}/${tail}`;
});

interface Step {
  readonly puts: readonly (readonly [key: number, size: number])[];
  readonly deletes: readonly number[];
  /** The key whose value must be as it was last seen. */
  readonly expects: number | undefined;
}

const index = fc.nat(KEYS.length - 1);
const step: fc.Arbitrary<Step> = fc.record({
  puts: fc.array(fc.tuple(index, fc.constantFrom(9, 30, 1400, 7000)), { maxLength: 8 }),
  deletes: fc.array(index, { maxLength: 5 }),
  expects: fc.option(index, { nil: undefined }),
});
/** Steps of one group are committed at the same time. */
const scenario = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});

type Model = ReadonlyMap<string, string>;

/** The possible contents of the records: several while the outcome of a commit is unknown. */
class Candidates {
  models: Model[] = [new Map()];
  #count = 0;

  change({ puts, deletes }: Step) {
    const put = puts.map(([key, size]) => ({
      key: KEYS[key] as string,
      value: `${this.#count++}`.padEnd(size),
    }));
    return { put, delete: deletes.map((key) => KEYS[key] as string) };
  }

  after(change: ReturnType<Candidates['change']>, done: boolean | undefined): void {
    if (done === false) return;
    const changed = this.models.map((model) => apply(model, change));
    this.models = done ? changed : [...this.models, ...changed];
  }

  /** Keeps only the content that a store shows. */
  async settle(store: KeyvMetadata): Promise<void> {
    const entries = await store.list({ prefix: '', limit: 1000 });
    const found = entries.map(({ key, value }) => line(key, value as string)).join();
    const same = this.models.filter((model) => lines(model) === found);
    assert.ok(same.length > 0, 'the records are none that they may be');
    this.models = same.slice(0, 1);
  }
}

function apply(model: Model, change: ReturnType<Candidates['change']>): Model {
  const next = new Map(model);
  for (const key of change.delete) next.delete(key);
  for (const { key, value } of change.put) next.set(key, value);
  return next;
}

const PLACES = KEYS.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const line = (key: string, value: string): string =>
  `${PLACES.indexOf(key)}: ${value.slice(0, 9)} ${value.length}`;

const lines = (model: Model): string =>
  PLACES.flatMap((key) => (model.has(key) ? [line(key, model.get(key) as string)] : [])).join();

const open = (adapter: FaultyMap, timeout = 60_000): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv({ store: adapter }), { timeout });

/** False: the commit had no effect. Undefined: that is unknown. */
function effectOf(error: unknown): false | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutcomeUnknownError) return undefined;
    if (at instanceof UnreachableError) return false;
  }
  return undefined;
}

/**
 * Whether a commit took longer than its limit without a fault. Calls that hang need a short limit,
 * and the process may have been stopped for longer.
 */
const isLate = ({ fault }: FaultyMap, error: unknown): boolean =>
  fault.startsWith('hangs') &&
  error instanceof OutcomeUnknownError &&
  error.message === 'Keyv did not confirm a commit in time.';

/** Commits all groups, and applies the results to the candidates. */
async function play(
  store: KeyvMetadata,
  groups: readonly (readonly Step[])[],
  candidates: Candidates,
  adapter: FaultyMap,
): Promise<void> {
  for (const group of groups) {
    const expected = group.map(async ({ expects }) => {
      if (expects === undefined) return [];
      const key = KEYS[expects] as string;
      return [{ key, version: (await store.get(key))?.version }];
    });
    const expect = await Promise.allSettled(expected);
    const changes = group.map((step) => candidates.change(step));
    const running = changes.map((change, at) => {
      const found = expect[at];
      return found?.status === 'fulfilled'
        ? store.commit({ ...change, expect: found.value })
        : Promise.resolve(undefined);
    });
    const outcomes = await Promise.allSettled(running);
    for (const [at, outcome] of outcomes.entries()) {
      const isDone = outcome.status === 'fulfilled';
      if (!isDone && !adapter.hit && !isLate(adapter, outcome.reason))
        assert.fail(inspect(outcome.reason));
      const done = isDone ? outcome.value !== undefined : effectOf(outcome.reason);
      candidates.after(changes[at] as ReturnType<Candidates['change']>, done);
    }
  }
}

/** After a clean close, only the tree, its root and the claim may be stored. */
async function checkReopened(adapter: FaultyMap, candidates: Candidates, leaks: boolean) {
  const clean = new FaultyMap(adapter.map);
  const store = await open(clean);
  await candidates.settle(store);
  const { problems, entries, used } = await store.check();
  assert.deepEqual(problems, []);
  assert.equal(entries, candidates.models[0]?.size);
  await store.close();
  const ids = [...clean.map.keys()].map((key) => key.slice('keyv:bucketware:'.length));
  const lost = ids.filter((id) => !used.has(id) && id !== 'root' && id !== 'claim');
  if (!leaks) assert.deepEqual(lost, []);
}

async function run(
  groups: readonly (readonly Step[])[],
  faultAt: number,
  fault: Fault,
  ends: boolean,
): Promise<FaultyMap> {
  const adapter = new FaultyMap();
  const candidates = new Candidates();
  Object.assign(adapter, { faultAt, fault, ends });
  try {
    const store = await open(adapter, fault.startsWith('hangs') ? 40 : 60_000);
    await play(store, groups, candidates, adapter);
    if (!ends) await store.close();
  } catch (error) {
    // Opening and reading may also fail, but only because of a fault.
    if (!adapter.hit || error instanceof assert.AssertionError) throw error;
  }
  // If the response to a delete is wrong, nobody can notice that it did not happen.
  const silent = adapter.hit === 'delete' && (fault === 'lies' || fault === 'says false');
  await checkReopened(adapter, candidates, silent);
  return adapter;
}

/** Runs the scenario with every fault at every call. */
async function everyFault(groups: readonly (readonly Step[])[], ends: boolean): Promise<number> {
  let runs = 0;
  const { calls } = await run(groups, Number.POSITIVE_INFINITY, 'fails', false);
  for (let faultAt = 1; faultAt <= calls; faultAt++) {
    const fault = FAULTS[faultAt % FAULTS.length] as Fault;
    for (const one of ends ? (['fails', 'fails late'] as const) : [fault]) {
      try {
        await run(groups, faultAt, one, ends);
        runs++;
      } catch (error) {
        throw new Error(`${one} at call ${faultAt} of ${calls}: ${error}`, { cause: error });
      }
    }
  }
  return runs;
}

/** Few runs, because each runs its scenario many times. */
const OPTIONS = { numRuns: 6, endOnFailure: true, includeErrorInReport: true };

function testFaults(title: string, ends: boolean): void {
  test(title, async (t) => {
    let runs = 0;
    const property = fc.asyncProperty(scenario, async (groups) => {
      runs += await everyFault(groups, ends);
    });
    await fc.assert(property, OPTIONS);
    t.log(`${runs} runs`);
    t.pass();
  });
}

testFaults(
  'a process may end at any call: acknowledged commits are stored, and others completely or not at all',
  true,
);
testFaults('any single call may fail in any way, and the store continues', false);
