import {
  blobStoreSuite,
  ConformanceError,
  type DriverSuiteOptions,
  metadataStoreSuite,
  type OpenDriver,
} from '@bucketware/conformance';
import { type BlobStore, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';

type Run = (...given: unknown[]) => Promise<void>;

/** The cases of a suite by id, as a test runner gets them. */
function casesOf(open: OpenDriver<BlobStore>, options?: DriverSuiteOptions): Record<string, Run> {
  const cases: Record<string, Run> = {};
  const collect = (name: string, run: Run) => {
    cases[name.slice(0, name.indexOf(': '))] = run;
  };
  blobStoreSuite(collect, open, options);
  return cases;
}

const runCase = async (cases: Record<string, Run>, id: string, ...given: unknown[]) =>
  (cases[id] as Run)(...given);

/** A store that records when it is closed, and may have a wrong method. */
function watched(calls: string[], name: string, wrong: Partial<BlobStore> = {}): BlobStore {
  const close = async (): Promise<void> => void calls.push(`close ${name}`);
  return Object.assign(memoryBlobs(), { close, ...wrong });
}

const disposeTo = (calls: string[]) => async () => void calls.push('dispose');

test('everything that a case opened is closed, and then disposed of', async (t) => {
  const calls: string[] = [];
  const first = watched(calls, 'first');
  const second = watched(calls, 'second', { identity: async () => 'storage-2 é' });
  const cases = casesOf(async () => ({
    store: first,
    reopen: async () => second,
    dispose: disposeTo(calls),
  }));
  await runCase(cases, 'blobs-lifetime-identity-kept');
  t.deepEqual(calls, ['close first', 'close first', 'close second', 'dispose']);
});

test('a failed case is also cleaned up, and its failure is the one reported', async (t) => {
  const calls: string[] = [];
  const failure = new Error('not today');
  const wrong = {
    remove: async () => {
      throw failure;
    },
    close: async () => {
      throw new Error('nor closed');
    },
  };
  const cases = casesOf(async () => ({
    store: watched(calls, 'first', wrong),
    dispose: disposeTo(calls),
  }));
  const error = await t.throwsAsync(runCase(cases, 'blobs-remove'), {
    instanceOf: ConformanceError,
  });
  t.is(error.cause, failure);
  t.is(
    error.message,
    'BlobStore promises: remove deletes a blob, and succeeds for an absent one ' +
      '(blobs-remove). Here it does not hold:\nnot today',
  );
  t.deepEqual(calls, ['dispose']);
});

test('a failing clean-up fails its case', async (t) => {
  const dispose = async () => {
    throw new Error('still there');
  };
  const cases = casesOf(async () => ({ store: memoryBlobs(), dispose }));
  await t.throwsAsync(runCase(cases, 'blobs-remove'), { message: 'still there' });
});

test('a store that cannot be opened again fails, unless its author declares that', async (t) => {
  const open = async () => ({ store: memoryBlobs() });
  const all = casesOf(open);
  await t.throwsAsync(runCase(all, 'blobs-lifetime-reopen'), {
    message: /open\(\) returned no reopen/,
  });
  const some = casesOf(open, { persistent: false });
  const leftOut = Object.keys(all).filter((id) => !(id in some));
  t.deepEqual(leftOut, ['blobs-lifetime-identity-kept', 'blobs-lifetime-reopen']);
});

test('a case reports to its runner that it passed, if the runner supports that', async (t) => {
  let passed = 0;
  const given = { pass: () => passed++ };
  const cases = casesOf(async () => ({ store: memoryBlobs() }));
  await runCase(cases, 'blobs-remove', given);
  t.is(passed, 1);
  await t.throwsAsync(runCase(cases, 'blobs-lifetime-reopen', given));
  t.is(passed, 1);
  await runCase(cases, 'blobs-remove', { signal: AbortSignal.abort() });
  await runCase(cases, 'blobs-remove');
});

test('titles are unique, and no case looks as if it expected a callback', (t) => {
  const titles: string[] = [];
  const collect = (name: string, run: Run) => {
    t.is(run.length, 0);
    titles.push(name);
  };
  blobStoreSuite(collect, async () => ({ store: memoryBlobs() }));
  metadataStoreSuite(collect, async () => ({ store: memoryMetadata() }));
  t.true(titles.length > 50);
  t.is(new Set(titles).size, titles.length);
});
