import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { directoryOf } from './fixtures.js';

test('a relative path stays the same place when the process changes its directory', async (t) => {
  const directory = await directoryOf(t);
  const program = fileURLToPath(new URL('working-directory.js', import.meta.url));
  const run = promisify(execFile)(process.execPath, [program, directory]);
  const one = ['before 100000', 'after 100000', 'after', 'before', ''].join('\n');
  t.is((await run).stdout, one + one);
  for (const name of ['blobs-1', 'blobs-2', 'records', ':memory:']) {
    await t.notThrowsAsync(access(join(directory, name)));
  }
});
