import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { sqliteBlobs } from './sqlite-blobs.js';

/** After how many reported writes the writer is killed. */
const KILLS = [1, 7, 40, 120];

test('what resolved survives kill -9, and what did not is no blob', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-blobs-'));
  const path = join(directory, 'bytes.db');
  const writer = fileURLToPath(new URL('./writer.js', import.meta.url));
  const reported = new Map<string, number>();
  for (const kill of KILLS) {
    const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let lines = 0;
    for await (const line of createInterface(child.stdout)) {
      const [id = '', size] = line.split(' ');
      reported.set(id, Number(size));
      lines += 1;
      if (lines === kill) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.equal(child.signalCode, 'SIGKILL');

    const store = sqliteBlobs(path);
    const found = new Set<string>();
    for await (const { id, size } of store.list()) {
      const bytes = await buffer(await store.read(id, { start: 0, end: size }));
      // The writer fills each blob with one byte, taken from its id.
      assert.ok(bytes.equals(Buffer.alloc(size, Number.parseInt(id.slice(0, 2), 16))));
      found.add(id);
    }
    for (const [id, size] of reported) {
      assert.ok(found.has(id), `${id} was reported and is lost`);
      await buffer(await store.read(id, { start: 0, end: size }));
    }
    await store.close();
  }
  await rm(directory, { recursive: true });
});
