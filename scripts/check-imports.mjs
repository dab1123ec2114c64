// Runs dependency-cruiser with the rules of .dependency-cruiser.mjs.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';

/** The paths of all sources of the workspace, such as `packages/core/src/index.ts`. */
function sources() {
  const below = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return /^(dist|node_modules)$/.test(entry.name) ? [] : below(path);
      return /(?<!\.d)\.tsx?$/.test(entry.name) ? [path] : [];
    });
  return ['packages', 'examples', 'bench', 'test'].flatMap(below);
}

export async function findImportFaults() {
  const files = sources();
  const { forbidden, options } = config;
  const { output } = await cruise(files, { ...options, validate: true, ruleSet: { forbidden } });
  const { modules, summary } = output;
  // Without a parser for TypeScript, the tool would see no imports and report no errors.
  const seen = new Map(modules.map(({ source, dependencies }) => [source, dependencies.length]));
  const unseen = files.filter((file) => !seen.has(file));
  const imports = files.reduce((sum, file) => sum + (seen.get(file) ?? 0), 0);
  if (imports < files.length) unseen.push(`only ${imports} imports in ${files.length} files`);
  return [
    ...unseen.map((file) => `not read: ${file}`),
    ...summary.violations.map(({ rule, from, to, cycle }) =>
      cycle
        ? `${rule.name}: ${[from, ...cycle.map(({ name }) => name)].join(' -> ')}`
        : `${rule.name}: ${from} -> ${to}`,
    ),
  ];
}
