import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { directoryOf } from './fixtures.js';

test('a monitoring agent that replaces the functions of node:fs changes nothing', async (t) => {
  const program = fileURLToPath(new URL('replaced-fs.js', import.meta.url));
  await t.notThrowsAsync(promisify(execFile)(process.execPath, [program, await directoryOf(t)]));
});
