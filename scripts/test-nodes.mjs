// Runs a short suite on each supported version of Node. The binaries come from npm.
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

/** Installs a version in a separate folder. */
async function nodeOf(version) {
  const name = `${NAMES[process.platform]}-${process.arch}`;
  const folder = resolve('.nodes', version);
  const binary = `${folder}/node_modules/${name}/bin/${isWindows ? 'node.exe' : 'node'}`;
  if (existsSync(binary)) return binary;
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--silent'];
  const { code } = await run('npm', [...args, `${name}@${version}`], { shell: isWindows });
  if (code !== 0 || !existsSync(binary)) throw new Error(`${name}@${version} was not installed.`);
  return binary;
}

let passed = 0;
let isGood = true;
for (const version of VERSIONS) {
  const node = await nodeOf(version);
  console.log(`Node ${version}`);
  const cli = 'node_modules/ava/entrypoints/cli.mjs';
  const { code, printed } = await run(node, [cli, '--tap', ...SUITE]);
  const count = printed.match(/^ok /gm)?.length ?? 0;
  const bad = printed.match(/^not ok /gm)?.length ?? 0;
  passed += count;
  console.log(`  ${count} passed, ${bad} failed`);
  // A run without tests must not pass.
  if (code === 0 && bad === 0 && count >= 100) continue;
  isGood = false;
  console.log(printed.replace(/^ok .*\n/gm, ''));
}
console.log(`  ${passed} tests passed`);
if (!isGood) console.log('  1 test failed');
process.exitCode = isGood ? 0 : 1;
