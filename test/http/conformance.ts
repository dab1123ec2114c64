import {
  type Dialect,
  type HttpFixture,
  httpSuite,
  jsonApi,
  type TestFunction,
} from '@bucketware/conformance';
import type { HandlerOptions, ObjectStorage } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { type Carry, listen, type RunningServer } from './servers.js';

const MOUNT = '/storage';
const BASE_HOST = 'objects.test';

/** How many cases run at a time. Each has one or two buckets and many connections. */
const AT_A_TIME = 12;

interface Speech extends Pick<HandlerOptions, 'dialect'> {
  readonly kit?: Dialect;
  /** The ids of cases that must fail on this framework, with the reasons. */
  readonly except?: Readonly<Record<string, string>>;
}

/** Runs the HTTP suite against one framework and one storage: a test for each case. */
export function testConformance(
  carry: Carry,
  open: (settings: {
    onError: (error: unknown) => void;
    uniqueUserIds: boolean;
  }) => Promise<ObjectStorage>,
  { kit = jsonApi, dialect, except = {} }: Speech = {},
): void {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  let storage: ObjectStorage;
  let running: RunningServer;

  test.before(async () => {
    storage = await open({ onError, uniqueUserIds: true });
    const place = { mount: MOUNT, baseHost: BASE_HOST };
    running = await listen(carry(storage, { ...place, dialect, onError }));
  });
  test.after.always(async () => {
    await running.close();
    await storage.close();
  });

  const inTurn = limitConcurrency(AT_A_TIME);
  const fixture = async (): Promise<HttpFixture> => {
    const { origin } = running;
    const bucketUrl = (bucket: string) => ({ url: origin, host: `${bucket}.${BASE_HOST}` });
    return { url: origin + MOUNT, bucketUrl };
  };
  const register: TestFunction = (name, run) => {
    const reason = except[name.slice(0, name.indexOf(':'))];
    const title = reason === undefined ? name : `not on this framework (${reason}): ${name}`;
    const tried = async (t: ExecutionContext) => {
      const before = failures.length;
      try {
        await inTurn(() => run(t));
      } catch (error) {
        // Those of other cases that ran meanwhile are among them.
        for (const failure of failures.slice(before)) t.log('Reported by the storage:', failure);
        throw error;
      }
    };
    (reason === undefined ? test : test.failing)(title, tried);
  };
  httpSuite(register, fixture, kit);

  test.after('no request caused an internal failure', (t) => {
    t.deepEqual(failures, []);
  });
  test.after('at the end, records and data are consistent', async (t) => {
    const { missing, orphans, objects } = await storage.check();
    t.deepEqual({ missing, orphans, objects }, { missing: [], orphans: [], objects: 0 });
  });
}

/** Lets this many tasks run at a time. */
function limitConcurrency(width: number) {
  let free = width;
  const waiting: (() => void)[] = [];
  return async (run: () => Promise<void>): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
