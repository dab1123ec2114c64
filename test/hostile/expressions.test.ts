import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

/** What makes a regular expression slow: repetition of what may be repeated, or not tied to the start. */
const NESTED = /\([^()]*[*+}][^()]*\)[*+{]/;
const LOOSE = /^(?!\^)(?:\[[^\]]*\]|\\?.)[*+]/;

test('no regular expression of the packages repeats what repeats, or searches on from every place', async (t) => {
  const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));
  const found: string[] = [];
  for (const file of await readdir(packages, { recursive: true })) {
    if (!/^[a-z]+\/src\/.*\.ts$/.test(file) || file.startsWith('conformance/')) continue;
    const text = await readFile(join(packages, file), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    for (const [, source = ''] of code.matchAll(
      /(?<=[=(,:!&|]\s?)\/((?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[])+)\/[a-z]*/g,
    )) {
      found.push(source);
      t.false(NESTED.test(source), `${file}: /${source}/ repeats what repeats`);
      t.false(
        source.split('|').some((part) => LOOSE.test(part)),
        `${file}: /${source}/ begins anywhere`,
      );
    }
  }
  t.true(found.length > 20, `${found.length} expressions`);
  // The checks themselves find what they are for.
  for (const bad of ['^(a+)+$', '(a*)*', '(.*a){10}']) t.true(NESTED.test(bad));
  for (const bad of ['[ \\t]+$', '.*a', '\\s+$']) t.true(LOOSE.test(bad));
});
