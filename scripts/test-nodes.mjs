// Runs a short suite on each supported version of Node, and the HTTP suite against apps on Deno and
// Bun. The binaries come from npm.
// Requires a build. Usage: npm run test:nodes
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The first supported version, and the newest of each release line. */
const VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'];

/** Tests of each framework and kind of driver, and of what depends most on Node. */
const SUITE = [
  ...['http/mounting-*', 'http/web-handler', 'http/leaving-clients'],
  ...['http/http2', 'http/synthetic-requests', 'hostile/headers', 'http/observers'],
  ...['sqlite/suite', 'drivers/*-suite*', 'signature/v1', 'more/resolution'],
].map((name) => `test/dist/${name}.test.js`);

const RUNTIMES = [
  {
    ...{ name: 'Deno', version: '2.9.6', path: 'deno' },
    packages: {
      'linux-x64': '@deno/linux-x64-glibc',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'darwin-x64': '@deno/darwin-x64',
      'darwin-arm64': '@deno/darwin-arm64',
    },
  },
  {
    ...{ name: 'Bun', version: '1.4.5', path: 'bin/bun' },
    packages: {
      'linux-x64': '@oven/bun-linux-x64',
      'linux-arm64': '@oven/bun-linux-aarch64',
      'darwin-x64': '@oven/bun-darwin-x64',
      'darwin-arm64': '@oven/bun-darwin-aarch64',
    },
  },
];

const NAMES = { darwin: 'node-bin-darwin', win32: 'node-win', linux: 'node-linux' };
const isWindows = process.platform === 'win32';

/** Runs a command. Resolves to its exit code and its output. */
function run(command, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
    let printed = '';
    child.stdout.on('data', (text) => {
      printed += text;
    });
    child.on('error', (error) => done({ code: 1, printed: String(error) }));
    child.on('close', (code) => done({ code, printed }));
  });
}

/** Installs a version of a package in a separate folder. Resolves to the path of its binary. */
async function install(name, version, path) {
  const folder = resolve('.nodes', `${name.replace(/\W+/g, '-')}-${version}`);
  const binary = `${folder}/node_modules/${name}/${path}${isWindows ? '.exe' : ''}`;
  if (existsSync(binary)) return binary;
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--silent'];
  const { code } = await run('npm', [...args, `${name}@${version}`], { shell: isWindows });
  if (code !== 0 || !existsSync(binary)) throw new Error(`${name}@${version} was not installed.`);
  return binary;
}

let passed = 0;
let isGood = true;

/** Runs a command that prints TAP, and counts its tests. */
async function count(title, command, args) {
  console.log(title);
  const { code, printed } = await run(command, args);
  const good = printed.match(/^ok /gm)?.length ?? 0;
  const bad = printed.match(/^not ok /gm)?.length ?? 0;
  passed += good;
  console.log(`  ${good} passed, ${bad} failed`);
  for (const [reason] of printed.matchAll(/^# not .*\n/gm)) process.stdout.write(`  ${reason}`);
  // A run without tests must not pass.
  if (code === 0 && bad === 0 && good >= 100) return;
  isGood = false;
  console.log(printed.replace(/^(ok|#) .*\n/gm, ''));
}

for (const version of VERSIONS) {
  const node = await install(`${NAMES[process.platform]}-${process.arch}`, version, 'bin/node');
  await count(`Node ${version}`, node, ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...SUITE]);
}
for (const { name, version, packages, path } of RUNTIMES) {
  const known = packages[`${process.platform}-${process.arch}`];
  if (known === undefined) {
    console.log(`${name} is left out: its package for this platform is not known.`);
    continue;
  }
  const binary = await install(known, version, path);
  for (const dialect of ['json', 's3']) {
    const args = ['test/dist/runtimes/main.js', name, binary, dialect];
    await count(`${name} ${version}, ${dialect}`, process.execPath, args);
  }
}
console.log(`  ${passed} tests passed`);
if (!isGood) console.log('  1 test failed');
process.exitCode = isGood ? 0 : 1;
