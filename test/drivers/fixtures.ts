import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from '@bucketware/conformance';
import test from 'ava';

/** A new directory of its own, and the way to be rid of it. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'bucketware-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Hands the cases of a conformance suite to ava. */
export function runCases(cases: readonly Case[]): void {
  for (const { id, name, run } of cases) {
    test(`${id}: ${name}`, async (t) => {
      await run();
      t.pass();
    });
  }
}
