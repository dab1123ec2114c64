import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill, opened } from './fixtures.js';

const program = fileURLToPath(new URL('./backup-process.js', import.meta.url));

type Call = { readonly name: 'sync' | 'remove'; readonly path: string } | Rename;

interface Rename {
  readonly name: 'rename';
  readonly path: string;
  readonly to: string;
}

/** The system calls of a process on the disk, in the order in which they returned. */
function callsIn(log: string): Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, string>();
  for (const line of log.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1];
    if (unfinished !== undefined) {
      begun.set(thread, unfinished);
      continue;
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const whole = rest === undefined ? text : (begun.get(thread) ?? '') + rest;
    if (!/= 0$/.test(whole)) continue;
    const synced = /^f(?:data)?sync\(\d+<([^>]+)>/.exec(whole)?.[1];
    if (synced !== undefined) calls.push({ name: 'sync', path: synced });
    const [, path, to] = /^rename\w*\("([^"]+)", "([^"]+)"/.exec(whole) ?? [];
    if (path !== undefined && to !== undefined) calls.push({ name: 'rename', path, to });
    const removed = /^unlink\w*\("([^"]+)"/.exec(whole)?.[1];
    if (removed !== undefined) calls.push({ name: 'remove', path: removed });
  }
  return calls;
}

/*
 * A power cut may lose whatever was not flushed. So that it never loses a complete backup, a file
 * is flushed before it gets its name, all names are flushed before the new backup becomes valid,
 * and this is flushed before anything of the old backup is removed.
 */
test('a backup is flushed before it becomes valid, and the previous one is removed after that', async (t) => {
  if (spawnSync('strace', ['-V']).status !== 0) {
    t.log('SKIPPED: strace is not installed.');
    return t.pass();
  }
  const directory = await directoryOf(t);
  const backup = join(directory, 'backup');
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  await storage.backup(backup);
  await storage.deleteObject({ bucket: 'notes', key: 'large' });
  await storage.putObject({ bucket: 'notes', key: 'new', body: randomBytes(70_000) });

  const log = join(directory, 'calls');
  const traced = 'trace=fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat';
  const arguments_ = [program, join(directory, 'data'), backup];
  const child = spawn('strace', [
    '-f',
    '-y',
    '-e',
    traced,
    '-o',
    log,
    process.execPath,
    ...arguments_,
  ]);
  t.deepEqual(await once(child, 'exit'), [0, null]);
  const calls = callsIn(await readFile(log, 'utf8')).filter(({ path }) => path.startsWith(backup));

  const isSynced = (path: string, from: number, to: number): boolean =>
    calls.slice(from, to).some((call) => call.name === 'sync' && call.path === path);
  const manifest = join(backup, 'backup.json');
  /** Files are removed in two steps: they are moved to the working directory first. */
  const isRemoval = ({ name, path, ...call }: Call): boolean =>
    !path.startsWith(join(backup, 'incoming')) &&
    (name === 'remove' || ('to' in call && call.to.startsWith(join(backup, 'incoming'))));
  const end = calls.findLastIndex((call) => call.name === 'rename' && call.to === manifest);
  let renamed = 0;
  for (const [at, call] of calls.entries()) {
    if (call.name !== 'rename' || isRemoval(call) || call.to.includes('/lock')) continue;
    t.true(isSynced(call.path, 0, at), `${call.path} gets its name before it is flushed`);
    if (!call.to.startsWith(join(backup, 'blobs'))) continue;
    renamed++;
    const shard = dirname(call.to);
    t.true(isSynced(shard, at, end), `the name of ${call.to} is not flushed`);
    t.true(isSynced(dirname(shard), at, end), `${shard} is not flushed`);
  }
  t.is(renamed, 1);
  const records = calls.findIndex(
    (call) => call.name === 'rename' && call.to.startsWith(join(backup, 'records-')),
  );
  t.true(records >= 0 && isSynced(backup, records, end), 'the name of the records is not flushed');
  const removed = calls.findIndex(
    (call) => isRemoval(call) && /\/blobs\/|\/records-/.test(call.path),
  );
  t.true(removed > end, 'something of the old backup goes before the new one counts');
  t.true(isSynced(backup, end, removed), 'something of the old backup goes too early');
});
