import { readFileSync } from 'node:fs';
import completion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { backup, move, restore } from './commands/backup.js';
import { mb, rb } from './commands/buckets.js';
import { check } from './commands/check.js';
import { cp } from './commands/cp.js';
import { lifecycle } from './commands/lifecycle.js';
import { ls } from './commands/ls.js';
import { mv } from './commands/mv.js';
import { presign } from './commands/presign.js';
import { rm } from './commands/rm.js';
import { scrub } from './commands/scrub.js';
import { serve } from './commands/serve.js';
import { sweep } from './commands/sweep.js';
import { sync } from './commands/sync.js';
import { usage } from './commands/usage.js';

const HELP = `
Write places in the storage as bucket:key; everything else is a path. A path with a colon needs
./ at its beginning. Choose the storage with --store or BUCKETWARE_STORE: a directory, a config
file, or the URL of a mount.

For a server:
  BUCKETWARE_ACCESS_KEY, BUCKETWARE_SECRET   sign all requests
  --header 'Authorization: Bearer …'         add a header to all requests

Exit codes: 0 done, 1 something failed, 2 wrong usage, 130 stopped by Ctrl-C.

Examples:
  $ bucketware serve ./data
  $ bucketware mb photos --store ./data
  $ bucketware cp -r ./pictures photos:2026/
  $ bucketware sync photos:2026 ./copy
  $ bucketware backup /mnt/backup --store ./data

Completion for bash (zsh, fish and powershell are supported too):
  $ source <(bucketware complete bash)`;

/** The whole command line. */
export function createProgram(): Command {
  const program = new Command('bucketware')
    .description('Object storage on the command line')
    .version(versionOf())
    .addHelpText('after', HELP);
  for (const make of [serve, ls, cp, mv, rm, sync, mb, rb, presign, usage])
    program.addCommand(make());
  for (const make of [check, scrub, sweep, lifecycle, backup, restore, move])
    program.addCommand(make());
  completion(program);
  throwInsteadOfExit(program);
  return program;
}

/** Commander would end the process without closing anything. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const sub of command.commands) throwInsteadOfExit(sub);
}

function versionOf(): string {
  const manifest = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
