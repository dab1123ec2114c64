import { readFile } from 'node:fs/promises';
import { httpSuite } from '@bucketware/conformance';
import test from 'ava';
import { CLASSES } from './classes.js';

/** The source of a test file, with its titles before interpolation. */
const sourceOf = (file: string): Promise<string> =>
  readFile(new URL(`../../${file}.test.ts`, import.meta.url), 'utf8');

test('every class of attack names proofs that exist', async (t) => {
  const ids = new Set<string>();
  httpSuite(
    (title) => ids.add(title.split(': ')[0] as string),
    () => Promise.reject(new Error('Nothing is run here.')),
  );
  t.is(Object.keys(CLASSES).length, 16);
  for (const [name, points] of Object.entries(CLASSES)) {
    for (const [point, proofs] of Object.entries(points)) {
      t.true(proofs.length > 0, `${name}: ${point}`);
      for (const proof of proofs) {
        const [file = '', title] = proof.split(': ');
        const exists = title === undefined ? ids.has(file) : (await sourceOf(file)).includes(title);
        t.true(exists, `${name}: ${point}: there is no ${proof}`);
      }
    }
  }
});
