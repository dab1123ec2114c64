// Installs the workspace when the lockfile is newer than the last install, so that
// `npm start` and `npm test` are the only commands a fresh clone needs.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.modules.yaml';
const fresh =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync('pnpm-lock.yaml').mtimeMs;

if (!fresh) {
  const { status } = spawnSync('npx', ['-y', 'pnpm@12.21.0', 'install', '--frozen-lockfile'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
