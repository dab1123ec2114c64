import {
  blobStoreSuite,
  ConformanceError,
  metadataStoreSuite,
  type TestFunction,
} from '@bucketware/conformance';
import type { BlobStore, MetadataStore } from '@bucketware/core';
import test from 'ava';
import { broken, type Mistake } from './broken.js';
import { readMistakes } from './broken-reads.js';
import { KEEP, recordMistakes } from './broken-records.js';
import { writeMistakes } from './broken-writes.js';
import { QUICK_PLACE, temporaryDirectory } from './fixtures.js';

const SQLITE = new URL('../../../examples/custom-driver/dist/sqlite-blobs.js', import.meta.url);
const MEMORY = new URL('../../../packages/core/dist/memory/memory-metadata.js', import.meta.url);

type Edits = Mistake['edits'];
type Suite = (test: TestFunction) => void;

async function blobSuite(edits: Edits): Promise<Suite> {
  const module = await broken<{ sqliteBlobs(path: string): BlobStore }>(SQLITE, edits);
  return (run) =>
    blobStoreSuite(run, async () => {
      const { path, remove } = await temporaryDirectory(QUICK_PLACE);
      const open = async () => module.sqliteBlobs(`${path}/bytes.db`);
      return { store: await open(), reopen: open, dispose: remove };
    });
}

type KeptMetadata = MetadataStore & { reopened(): MetadataStore };

async function recordSuite(edits: Edits): Promise<Suite> {
  const module = await broken<{ memoryMetadata(): KeptMetadata }>(MEMORY, [...KEEP, ...edits]);
  return (run) =>
    metadataStoreSuite(run, async () => {
      const store = module.memoryMetadata();
      return { store, reopen: async () => store.reopened() };
    });
}

function idsOf(suite: Suite): string[] {
  const ids: string[] = [];
  suite((name) => ids.push(name.slice(0, name.indexOf(': '))));
  return ids.sort();
}

/** Runs one case of a suite. */
async function runCase(suite: Suite, id: string): Promise<void> {
  const found: (() => Promise<void>)[] = [];
  suite((name, run) => {
    if (name.startsWith(`${id}: `)) found.push(run);
  });
  if (found.length !== 1) throw new Error(`There are ${found.length} cases ${id}.`);
  await found[0]?.();
}

for (const [contract, mistakes, suiteOf] of [
  ['BlobStore', [...writeMistakes, ...readMistakes], blobSuite],
  ['MetadataStore', recordMistakes, recordSuite],
] as const) {
  for (const { does, edits, caught } of mistakes) {
    test(`${contract}: ${caught} fails when ${does}`, async (t) => {
      const suite = await suiteOf(edits);
      const error = await t.throwsAsync(runCase(suite, caught), { instanceOf: ConformanceError });
      t.true(error.message.startsWith(`${contract} promises: `), error.message);
      t.true(error.message.includes(`(${caught})`), error.message);
    });
  }

  test(`${contract}: every case detects a mistake`, async (t) => {
    const shown = new Set(mistakes.map(({ caught }) => caught));
    t.deepEqual([...shown].sort(), idsOf(await suiteOf([])));
  });

  test(`${contract}: without a mistake these cases pass`, async (t) => {
    const suite = await suiteOf([]);
    for (const id of new Set(mistakes.map(({ caught }) => caught))) {
      await t.notThrowsAsync(runCase(suite, id));
    }
  });
}
