import { coreParts, engineLevels, packages } from './scripts/layers.mjs';

const CORE = '^packages/core/src/';
const ENGINE = `${CORE}engine/`;

/** Matches a folder with everything in it, or a file. */
const under = (base) => (name) =>
  `${base}${name.replace('.', '\\.')}${/\.ts$/.test(name) ? '$' : '/'}`;
/**
 * Matches an entry of another package, such as `core` or `core/node`, which resolves to the build.
 */
const entry = (name) => {
  const [, folder, subpath] = /^([^/]+)\/?(.*)$/.exec(name);
  const file = ['', 'dialect'].includes(subpath) ? subpath || 'index' : `${subpath}/index`;
  return `^packages/${folder}/dist/${file}\\.`;
};
const library = (name) => `/node_modules/${name}/`;

/** Allows only the listed modules and Node's own. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed, dependencyTypesNot: ['core'] },
});

/** The parts that have a rule below. */
const ruled = [
  ...coreParts.flatMap(({ parts }) => parts.filter((part) => part !== 'engine').map(under(CORE))),
  ...engineLevels.flat().map(under(ENGINE)),
  ...packages.map(({ name }) => `^packages/${name}/src/`),
];

export default {
  forbidden: [
    { name: 'no import circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'every import is found', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'only the bridge to Node knows its servers',
      severity: 'error',
      from: { path: CORE, pathNot: under(CORE)('node') },
      to: { dependencyTypes: ['core'], path: '^(http|https|http2|net|tls)$' },
    },
    {
      name: 'only one file of the S3 dialect knows the parser of XML',
      severity: 'error',
      from: { path: '^packages/s3/src/', pathNot: '^packages/s3/src/xml/read\\.ts$' },
      to: { path: library('saxes') },
    },
    ...coreParts.flatMap(({ parts, imports, libraries = [] }) =>
      parts.map((part) => {
        const own = under(CORE)(part);
        const allowed = [own, ...imports.map(under(CORE)), ...libraries.map(library)];
        return only(`what ${part} may import`, own, allowed);
      }),
    ),
    ...engineLevels.flatMap((level, at) => {
      const below = engineLevels.slice(0, at).flat().map(under(ENGINE));
      return level.map((part) => ({
        name: `what engine/${part} may import of the engine`,
        severity: 'error',
        from: { path: under(ENGINE)(part) },
        to: { path: ENGINE, pathNot: [under(ENGINE)(part), ...below] },
      }));
    }),
    ...packages.map(({ name, imports, libraries = [] }) => {
      const own = `^packages/${name}/src/`;
      const allowed = [own, ...imports.map(entry), ...libraries.map(library)];
      return only(`what ${name} may import`, own, allowed);
    }),
    {
      name: 'every part has a rule',
      severity: 'error',
      from: { path: '^packages/', pathNot: ruled },
      to: {},
    },
  ],
  options: {
    // Imports of types count as well.
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
};
