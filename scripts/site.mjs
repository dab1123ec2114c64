// Builds the docs as a site in site/dist. Installs the required packages in site.
// Usage: npm run site, or npm run docs for the reference alone.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const shell = process.platform === 'win32';
function run(command, args, cwd = '.') {
  const { status } = spawnSync(command, args, { cwd, shell, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const installed = 'site/node_modules/.modules.yaml';
const isFresh =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync('site/pnpm-lock.yaml').mtimeMs;
if (!isFresh) run('npx', ['-y', 'pnpm@12.21.0', 'install', '--frozen-lockfile'], 'site');

run(process.execPath, ['site/prepare.mjs']);
run(process.execPath, ['site/reference.mjs']);
if (process.argv[2] !== 'reference') {
  run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build'], 'site');
}
