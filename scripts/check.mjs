// Runs the checks other than tests. Prints a line for each, and the output of failed ones.
// Requires a build. Usage: npm run check
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';
import { findDocsFaults } from './check-docs.mjs';
import { findImportFaults } from './check-imports.mjs';
import { findSizeFaults } from './check-sizes.mjs';

const bin = (name) => resolve('node_modules/.bin', name);
const manifestOf = (directory) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
const isPublished = (directory) => manifestOf(directory).private !== true;
/** The entries of a package: its root and its subpaths. */
const entriesOf = (directory) => Object.values(manifestOf(directory).exports);
const packages = readdirSync('packages')
  .map((name) => join('packages', name))
  .filter(isPublished);

/** Runs a command. Resolves to its output if it fails, or to `undefined` if it passes. */
function failureOf(command, args, cwd = '.') {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const child = spawn(command, args, { cwd, env, shell: process.platform === 'win32' });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        printed += text;
      });
    }
    child.on('error', (error) => done(String(error)));
    child.on('close', (code) => done(code === 0 ? undefined : printed || `exit code ${code}`));
  });
}

/** The declarations of all packages must compile with `skipLibCheck: false`. */
const declarations = () =>
  failureOf(bin('tsc'), [
    ...['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes'],
    ...['--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'],
    ...['--lib', 'es2024', '--types', 'node'],
    ...packages.flatMap((directory) =>
      entriesOf(directory).map(({ types }) => join(directory, types)),
    ),
  ]);

/** The lockfile must not contain URLs, which would tie every clone to one registry. */
async function lockfile() {
  const lines = readFileSync('pnpm-lock.yaml', 'utf8').split('\n');
  const bad = lines.filter((line) => /https?:\/\/|tarball:|registry/i.test(line));
  return bad.length === 0 ? undefined : bad.slice(0, 10).join('\n');
}

/** The source of an entry such as `./dist/node/index.js`. */
const sourceOf = (path) => path.replace('./dist/', 'src/').replace(/js$/, 'ts');

/** Further files that a package must contain. */
const ASSETS = {
  [join('packages', 'console')]: ['dist/assets/console.html', 'dist/assets/console.js'],
};

/** Checks the files that npm would publish for a package. */
async function contents(directory) {
  const files = await new Promise((done, fail) => {
    const args = ['pack', '--dry-run', '--json', '--silent'];
    const child = spawn('npm', args, { cwd: directory, shell: process.platform === 'win32' });
    let printed = '';
    child.stdout.on('data', (text) => {
      printed += text;
    });
    child.on('error', fail);
    child.on('close', () => done(JSON.parse(printed)[0].files.map(({ path }) => path)));
  });
  const entries = entriesOf(directory).flatMap(({ types, default: code }) => [types, code]);
  const built = entries.map((path) => path.replace(/^\.\//, ''));
  const sources = entries.filter((path) => path.endsWith('.js')).map(sourceOf);
  const needed = ['README.md', 'LICENSE', ...built, ...sources, ...(ASSETS[directory] ?? [])];
  const missing = needed.filter((path) => !files.includes(path));
  const unwanted = files.filter((path) => /tsbuildinfo|\.test\.|node_modules/.test(path));
  const faults = [
    ...missing.map((path) => `${path} is missing`),
    ...unwanted.map((path) => `${path} must not be published`),
  ];
  return faults.length === 0 ? undefined : faults.join('\n');
}

/** Checks the metadata that registries and provenance need. */
async function metadata(directory) {
  const { description, keywords, homepage, bugs, repository } = manifestOf(directory);
  const folder = directory.replaceAll('\\', '/');
  const faults = [
    !description && 'it has no description',
    !(keywords?.length > 1) && 'it has no keywords',
    !homepage?.endsWith(`/${folder}#readme`) && 'its homepage is not its README',
    !bugs && 'it does not say where to report bugs',
    repository?.directory !== folder && 'its repository has a different directory',
  ].filter(Boolean);
  return faults.length === 0 ? undefined : faults.join('\n');
}

/** The faults that a function finds, as text. */
async function faultsOf(find) {
  const faults = await find();
  return faults.length === 0 ? undefined : faults.join('\n');
}

const checks = [
  ['lint and format', () => failureOf(bin('biome'), ['ci', '--colors=off', '.'])],
  ['declarations', declarations],
  ['unused code', () => failureOf(bin('knip'), ['--no-progress'])],
  ['imports', () => faultsOf(findImportFaults)],
  ['docs', () => faultsOf(findDocsFaults)],
  ['sizes', () => faultsOf(findSizeFaults)],
  ['lockfile', lockfile],
  ...packages.flatMap((directory) => [
    [`metadata of ${directory}`, () => metadata(directory)],
    [`contents of ${directory}`, () => contents(directory)],
    [
      `publint ${directory}`,
      () => failureOf(bin('publint'), ['--strict', '--pack', 'npm'], directory),
    ],
    [
      `types of ${directory}`,
      () =>
        failureOf(bin('attw'), ['--pack', '.', '--profile', 'esm-only', '--no-color'], directory),
    ],
  ]),
];

await bundle();
let failed = 0;
for (const [name, run] of checks) {
  const failure = await run().catch((error) => error.stack);
  console.log(`${failure === undefined ? 'passed' : 'FAILED'}  ${name}`);
  if (failure === undefined) continue;
  failed++;
  console.log(failure.trimEnd().replace(/^/gm, '    '));
}
console.log(`checks: ${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
