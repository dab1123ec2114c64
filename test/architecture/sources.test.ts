import test from 'ava';
import { filesLoadedBy, linesOfCode, packages, sourcesOf } from './sources.js';

/** The contracts may import each other, the check of options, and the names of system errors. */
const isContract = (file: string) =>
  /^core\/dist\/(contracts\/.*|options\.js|system-code\.js)$/.test(file);

for (const name of ['filesystem', 'lmdb', 'keyv', 'signature']) {
  test(`${name} loads only the contracts of the core`, async (t) => {
    const loaded = (await filesLoadedBy(name)).filter((file) => file.startsWith('core/'));
    t.true(loaded.includes('core/dist/contracts/index.js'));
    t.deepEqual(
      loaded.filter((file) => !isContract(file)),
      [],
    );
  });
}

for (const name of ['koa', 'express']) {
  test(`the ${name} adapter is under 100 lines a file`, async (t) => {
    for (const { path, text } of await sourcesOf(name)) t.true(linesOfCode(text) < 100, path);
  });
}

test('no source file has more than 250 lines', async (t) => {
  const sources = (await Promise.all((await packages()).map(sourcesOf))).flat();
  t.true(sources.length > 300, `${sources.length} files`);
  const tooLong = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 250);
  t.deepEqual(tooLong, []);
});
