// The allowed imports. The rules of dependency-cruiser and the tables in docs/architecture.md are
// generated from these lists.

/** The parts that everything in the core may import. They import nothing else of the project. */
const BASE = [
  ...['contracts', 'errors.ts', 'limits.ts', 'options.ts', 'quoted.ts', 'reporting.ts'],
  'system-code.ts',
];

/**
 * The core, from the bottom to the top. `imports` are other parts of the core; a folder includes
 * everything in it. `libraries` come from npm. Node's own modules are allowed, except its servers.
 */
export const coreParts = [
  { parts: ['limits.ts', 'quoted.ts', 'reporting.ts', 'system-code.ts'], imports: [] },
  { parts: ['errors.ts'], imports: ['system-code.ts'] },
  { parts: ['options.ts'], imports: [], libraries: ['leven'] },
  { parts: ['contracts'], imports: ['options.ts', 'system-code.ts'], libraries: ['msgpackr'] },
  { parts: ['memory'], imports: ['contracts', 'options.ts'] },
  {
    parts: ['engine'],
    imports: BASE,
    libraries: ['hash-wasm', 'lru-cache', 'p-limit', 'stream-chain'],
  },
  { parts: ['actions'], imports: ['engine', ...BASE], libraries: ['valibot'] },
  { parts: ['client'], imports: ['actions', 'engine', ...BASE] },
  { parts: ['http'], imports: ['actions', 'engine', ...BASE] },
  { parts: ['json-api'], imports: ['http', 'actions', ...BASE], libraries: ['valibot'] },
  { parts: ['dialect.ts'], imports: ['http', 'actions', 'engine/concurrency', ...BASE] },
  { parts: ['node'], imports: ['http', ...BASE], libraries: ['vary'] },
  { parts: ['maintenance.ts'], imports: ['engine', ...BASE] },
  { parts: ['storage-options.ts'], imports: ['http', ...BASE] },
  {
    parts: ['object-storage.ts', 'index.ts'],
    imports: [
      ...[
        'maintenance.ts',
        'storage-options.ts',
        'object-storage.ts',
        'json-api',
        'client',
        'http',
        'actions',
        'memory',
      ],
      ...['engine', ...BASE],
    ],
  },
];

/** The engine, from the bottom to the top. A module may import those of the lines above its own. */
export const engineLevels = [
  ['concurrency', 'events.ts', 'names.ts', 'wildcard.ts'],
  ['records'],
  ['hashing.ts'],
  ['store.ts'],
  ['transaction.ts', 'listing.ts', 'health.ts'],
  ['garbage'],
  ['content'],
  ['buckets'],
  ['objects'],
  ['uploads'],
  ['access', 'lifecycle', 'integrity', 'migrations', 'copying', 'lease.ts'],
  ['backup'],
  ['open-records.ts'],
];

/** What the other packages import of each other and from npm. */
export const packages = [
  { name: 'filesystem', imports: ['core/contracts'] },
  { name: 'lmdb', imports: ['core/contracts'], libraries: ['lmdb'] },
  { name: 'keyv', imports: ['core/contracts'], libraries: ['lru-cache', 'msgpackr'] },
  { name: 'postgres', imports: ['core/contracts'], libraries: ['pg'] },
  { name: 'sqlite', imports: ['core/contracts'], libraries: ['@photostructure/sqlite'] },
  { name: 's3-blobs', imports: ['core/contracts'], libraries: ['@aws-sdk/client-s3'] },
  { name: 'signature', imports: ['core/contracts'] },
  {
    name: 's3',
    imports: ['core/dialect', 'core/contracts', 'signature'],
    libraries: ['saxes'],
  },
  { name: 'koa', imports: ['core', 'core/node', 'signature'], libraries: ['koa', '@koa/router'] },
  { name: 'express', imports: ['core', 'core/node', 'signature'], libraries: ['express'] },
  { name: 'fastify', imports: ['core', 'core/node', 'signature'], libraries: ['fastify'] },
  { name: 'web', imports: ['core', 'core/contracts', 'core/node', 'signature'] },
  { name: 'unstorage', imports: ['core', 'core/contracts'] },
  { name: 'multer', imports: ['core', 'core/contracts'], libraries: ['multer'] },
  {
    name: 'observability',
    imports: ['core', 'core/contracts'],
    libraries: ['prom-client', '@opentelemetry/api'],
  },
  {
    name: 'storage',
    imports: [
      'core',
      'core/contracts',
      'filesystem',
      'lmdb',
      'keyv',
      'postgres',
      'sqlite',
      's3-blobs',
    ],
    libraries: ['keyv', '@keyv/redis'],
  },
  {
    name: 'cli',
    imports: [
      'client/node',
      'core',
      'core/contracts',
      'core/node',
      's3',
      'signature',
      'storage',
      'web',
    ],
    libraries: ['@bomb.sh/tab', 'commander', 'mime', 'ora'],
  },
  { name: 'conformance', imports: ['core', 'core/contracts'] },
  { name: 'client', imports: [] },
  {
    name: 'console',
    imports: ['core', 'core/contracts', 'core/node', 'signature', 'client'],
    libraries: ['express', 'koa', 'preact'],
  },
];

const code = (names) => names.map((name) => `\`${name}\``).join(', ');
const isBase = (name) => BASE.includes(name);

/** Shows `BASE` as one entry, because its full list would hide the others. */
function importsOf({ imports }) {
  if (imports.length === 0) return 'nothing';
  const isOnBase = BASE.every((name) => imports.includes(name));
  const named = isOnBase ? imports.filter((name) => !isBase(name)) : imports;
  return [named.length > 0 && code(named), isOnBase && 'the base'].filter(Boolean).join(', ');
}

const row = (first, { imports, libraries = [] }) =>
  `| ${code(first)} | ${importsOf({ imports })} | ${code(libraries)} |`.replace('|  |', '| |');

/** The rows of the tables in docs/architecture.md. */
export const documentedRows = [
  ...coreParts.map((part) => row(part.parts, part)),
  ...engineLevels.map((level, at) => `| ${at + 1} | ${code(level)} |`),
  ...packages.map((one) => row([one.name], one)),
];
