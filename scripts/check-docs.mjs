// Compares the docs with the code, and follows the links that stay inside the repository.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBlockFaults, findJsonFaults, findShellFaults } from './check-blocks.mjs';
import { draw, PICTURES } from './draw.mjs';
import { documentedRows } from './layers.mjs';

const read = (path) => readFileSync(path, 'utf8');
const withoutCode = (text) => text.replace(/^```[\s\S]*?^```/gm, '');

export async function findDocsFaults() {
  return [
    ...(await findOperationFaults()),
    ...findPackageFaults(),
    ...findErrorFaults(),
    ...findIndexFaults(),
    ...findRecipeFaults(),
    ...(await findCaseFaults()),
    ...findLayerFaults(),
    ...(await findPictureFaults()),
    ...findLinkFaults(),
    ...findBlockFaults(markdownFiles()),
    ...findJsonFaults(markdownFiles()),
    ...findShellFaults(markdownFiles()),
  ];
}

/** Every operation must have a row in the README, with its route in the code. */
async function findOperationFaults() {
  const table = resolve('packages/core/dist/json-api/operations/index.js');
  const { operations } = await import(pathToFileURL(table).href);
  const rows = read('README.md')
    .split('\n')
    .filter((line) => /^\| \[\w/.test(line));
  const expected = operations.map(({ action, route }) => [
    action.name,
    wireOf({ ...route, on: route.on ?? action.on }),
  ]);
  const names = expected.map(([name]) => name);
  const stale = rows
    .map((row) => /^\| \[(\w+)\]/.exec(row)?.[1])
    .filter((name) => !names.includes(name));
  const wrong = expected.filter(
    ([name, wire]) => !rows.some((row) => row.startsWith(`| [${name}](`) && row.includes(wire)),
  );
  return [
    ...wrong.map(([name, wire]) => `README.md has no row "${name} | ${wire}"`),
    ...stale.map((name) => `README.md has a row for ${name}, which is no operation`),
  ];
}

/** Every package must be in the README. */
const findPackageFaults = () =>
  readdirSync('packages')
    .map((name) => `[@bucketware/${name}](packages/${name}/README.md)`)
    .filter((link) => !read('README.md').includes(link))
    .map((link) => `README.md lacks ${link}`);

/** llms.txt must link to every page and every package. */
function findIndexFaults() {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const packages = readdirSync('packages').map((name) => `packages/${name}/README.md`);
  return [...pages.map((name) => `docs/${name}`), ...packages]
    .filter((path) => !read('llms.txt').includes(`(${path})`))
    .map((path) => `llms.txt lacks ${path}`);
}

function wireOf({ method, on, query = [], headers = [] }) {
  const path = { service: '/', object: '/<bucket>/<key>' }[on] ?? '/<bucket>';
  const markers = query.length === 0 ? '' : `?${query.join('&')}`;
  const named = headers.map((header) => `, \`${header}\``).join('');
  return `\`${method} ${path}${markers}\`${named}`;
}

/** docs/cookbook.md must contain the recipes as they are tested. */
function findRecipeFaults() {
  const cookbook = read('docs/cookbook.md');
  const recipes = 'examples/cookbook/src';
  return readdirSync(recipes)
    .map((name) => join(recipes, name))
    .filter((path) => !cookbook.includes(`\`\`\`ts\n${read(path).trimEnd()}\n\`\`\``))
    .map((path) => `docs/cookbook.md does not contain ${path} unchanged`);
}

/** docs/errors.md must list exactly the codes and statuses of the catalogue. */
function findErrorFaults() {
  const catalogue = read('packages/core/src/errors.ts').matchAll(/^ {2}(\w+): \[\s*(\d{3})/gm);
  const listed = read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d{3})/gm);
  const known = new Set(Array.from(catalogue, ([, code, status]) => `${code} ${status}`));
  const shown = new Set(Array.from(listed, ([, code, status]) => `${code} ${status}`));
  return [
    ...[...known].filter((row) => !shown.has(row)).map((row) => `docs/errors.md lacks ${row}`),
    ...[...shown].filter((row) => !known.has(row)).map((row) => `docs/errors.md invents ${row}`),
  ];
}

/** docs/drivers.md must list exactly the cases of the two contracts. */
async function findCaseFaults() {
  const kit = resolve('packages/conformance/dist/index.js');
  const { blobStoreSuite, metadataStoreSuite } = await import(pathToFileURL(kit).href);
  const cases = [];
  const collect = (title) => cases.push(title.slice(0, title.indexOf(':')));
  for (const appends of [true, false]) blobStoreSuite(collect, undefined, { appends });
  metadataStoreSuite(collect);
  const named = Array.from(
    withoutCode(read('docs/drivers.md')).matchAll(/`((?:blobs|metadata)-[a-z0-9-]+)`/g),
    ([, id]) => id,
  );
  return [
    ...cases.filter((id) => !named.includes(id)).map((id) => `docs/drivers.md lacks ${id}`),
    ...named.filter((id) => !cases.includes(id)).map((id) => `docs/drivers.md invents ${id}`),
  ];
}

/** The import rules in docs/architecture.md must be those of the checks. */
function findLayerFaults() {
  const [, section] = read('docs/architecture.md').split('\n## Import rules\n');
  const lines = section.slice(0, section.indexOf('\n## ')).split('\n');
  const rows = lines.filter((line) => /^\| [`\d]/.test(line) && !line.startsWith('| In `'));
  return [
    ...documentedRows
      .filter((row) => !rows.includes(row))
      .map((row) => `docs/architecture.md lacks ${row}`),
    ...rows
      .filter((row) => !documentedRows.includes(row))
      .map((row) => `docs/architecture.md invents ${row}`),
  ];
}

async function findPictureFaults() {
  const faults = [];
  for (const picture of PICTURES) {
    const isCurrent = existsSync(picture) && read(picture) === (await draw(picture));
    if (!isCurrent) faults.push(`${picture} is out of date: npm run draw`);
  }
  return faults;
}

function findLinkFaults() {
  const faults = [];
  for (const file of markdownFiles()) {
    for (const [, target] of withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split('#');
      const found = path === '' ? file : join(dirname(file), path);
      if (!existsSync(found)) faults.push(`${file}: there is no ${path}`);
      else if (anchor && !anchorsOf(found).has(anchor))
        faults.push(`${file}: no heading ${target}`);
    }
  }
  return faults;
}

function markdownFiles() {
  const inside = (directory) =>
    existsSync(directory) && statSync(directory).isDirectory()
      ? readdirSync(directory).map((name) => join(directory, name))
      : [];
  const folders = [...inside('packages'), ...inside('examples')];
  const candidates = [...inside('.'), ...inside('docs'), ...folders.flatMap(inside)];
  return [...candidates.filter((path) => path.endsWith('.md')), 'llms.txt'];
}

/** The anchors of the headings in a file. */
const anchorsOf = (file) =>
  new Set(
    Array.from(withoutCode(read(file)).matchAll(/^#+ (.+)$/gm), ([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
