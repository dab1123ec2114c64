import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output } from '../run/processes.js';

const FOLDER = fileURLToPath(new URL('../../.peers', import.meta.url));
const PACKAGES = {
  s3rver: '3.7.1',
  '@tus/server': '2.4.5',
  '@tus/file-store': '2.1.1',
  azurite: '3.37.0',
};
const TIMEOUT = 5 * 60_000;

/**
 * Installs the peers in a separate folder, apart from all other packages, and resolves to the
 * folder. Peers that are already installed stay.
 */
export async function installPeers(): Promise<string> {
  const done = join(FOLDER, `installed-${Object.values(PACKAGES).join('-')}`);
  if (existsSync(done)) return FOLDER;
  mkdirSync(FOLDER, { recursive: true });
  const manifest = { private: true, type: 'commonjs', dependencies: PACKAGES };
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(manifest));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--silent'];
  const found = await output('npm', ['install', '--prefix', FOLDER, ...options], TIMEOUT);
  if (found === undefined) throw new Error('npm is not installed.');
  writeFileSync(done, '');
  return FOLDER;
}

export const peerVersions = (): string =>
  Object.entries(PACKAGES)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
