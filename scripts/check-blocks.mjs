// Type-checks the code blocks of the docs. A block is part of an app, so the names that it uses
// without declaring them are declared here.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names that blocks use: functions that an earlier block imports, and parts of the app. */
const FUNCTIONS = {
  '@bucketware/client': ['createClient'],
  '@bucketware/conformance': ['blobStoreSuite', 'metadataStoreSuite'],
  '@bucketware/console/express': ['storageConsole'],
  '@bucketware/core': ['createObjectStorage', 'memoryMetadata'],
  '@bucketware/filesystem': ['filesystemBlobs'],
  '@bucketware/keyv': ['keyvMetadata'],
  '@bucketware/lmdb': ['lmdbMetadata'],
  '@bucketware/s3': ['s3'],
  '@bucketware/storage': ['openStorage', 'restoreStorage'],
  '@bucketware/web': ['toWebHandler'],
};
const OF_APPS = [
  ...['admin', 'BoxBlobs', 'file', 'openedStorage', 'options'],
  ...[
    'accessKey',
    'accessKeyOf',
    'api',
    'app',
    'AppModule',
    'AuthService',
    'avatars',
    'bar',
    'body',
  ],
  ...[
    'boxBlobs',
    'bucket',
    'configs',
    'credentials',
    'checkPassword',
    'ctx',
    'database',
    'Deno',
    'dialect',
    'directory',
  ],
  ...[
    'files',
    'image',
    'isAdmin',
    'key',
    'keyv',
    'method',
    'mount',
    'NestFactory',
    'onInterruption',
    'onProgress',
    'openedStorage',
    'options',
  ],
  ...[
    'principal',
    'principalOf',
    'publicUrl',
    'rawHeaders',
    'rawPath',
    'rawQuery',
    'req',
    'res',
    'secret',
  ],
  ...['server', 'shardOf', 'showProgress', 'test', 'user', 'userId', 'userOf', 'write'],
];
/** Libraries and files of the reader's app, which do not exist here. */
const LIBRARIES = [
  ...[
    'express-session',
    'jose',
    'sharp',
    'mime',
    'vitest',
    '*/sqlite-blobs.js',
    '*/lib/storage.js',
  ],
  ...['avatars', 'from-directory', 'quotas', 'share-links', 'upload-page'].map(
    (it) => `*/${it}.js`,
  ),
];

const GIVEN = `
declare var alice: import('@bucketware/core').Principal;
declare var storage: import('@bucketware/core').ObjectStorage;
type Mounting = Omit<import('@bucketware/express').ExpressStorageOptions, 'principal'>;
declare function storageMiddleware(
  storage: import('@bucketware/core').ObjectStorage,
  // In Express, it gets a request; in Koa, a context.
  options: Mounting & { principal: (from: any) => any },
): any;
${Object.entries(FUNCTIONS)
  .flatMap(([name, list]) =>
    list.map((one) => `declare var ${one}: typeof import('${name}').${one};`),
  )
  .join('\n')}
${OF_APPS.map((name) => `declare var ${name}: any;`).join('\n')}
${LIBRARIES.map((name) => `declare module '${name}';`).join('\n')}
declare namespace Express {
  // The storage engine for multer adds these.
  namespace Multer { interface File { bucket: string; key: string; etag: string } }
  // express-session adds this.
  interface Request { session: any }
}
`;

/** In the pages of the client, \`storage\` is what createClient() returns. */
const OF_CLIENT = "declare const storage: import('@bucketware/client').StorageClient;";

const FENCE = /^```(\w+)\n([\s\S]*?)^```/gm;

/** The code blocks of a page in these languages, with the line on which each begins. */
function blocksOf(page, ...languages) {
  const text = readFileSync(page, 'utf8');
  const blocks = Array.from(text.matchAll(FENCE), ({ 1: language, 2: code, index }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    return { page, line, language, code };
  });
  return blocks.filter(({ language }) => languages.includes(language));
}

/** Finds blocks of JSON, or of members of an object, that are not valid JSON. */
export const findJsonFaults = (pages) =>
  pages
    .flatMap((page) => blocksOf(page, 'json'))
    .filter(({ code }) => !isJson(code) && !isJson(`{${code}}`))
    .map(({ page, line }) => `${page}:${line}: not JSON`);

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds blocks of shell commands with syntax errors. */
export const findShellFaults = (pages) =>
  pages
    .flatMap((page) => blocksOf(page, 'sh'))
    .flatMap(({ page, line, code }) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
      return status === 0 ? [] : [`${page}:${line}: ${stderr}`];
    });

/** Converts a block to a program with the same line numbers. */
function asProgram({ page, code }) {
  // A block that shows members of an object begins with one of them.
  if (/^\w+:/.test(code)) return `void {${code}};`;
  // Hides the `open` of browsers.
  if (/\bopen\)/.test(code)) return `declare const open: any; ${code}`;
  const declares = /\b(const|let|var) storage\b/.test(code);
  return page === 'packages/client/README.md' && !declares ? `${OF_CLIENT} ${code}` : code;
}

/** The compiler errors in the blocks of these pages, as `page:line: message`. */
export function findBlockFaults(pages) {
  mkdirSync('test/dist', { recursive: true });
  const folder = mkdtempSync('test/dist/blocks-');
  try {
    const blocks = pages.flatMap((page) => blocksOf(page, 'ts', 'js'));
    writeFileSync(join(folder, 'given.d.ts'), GIVEN);
    const files = blocks.map((block, at) => {
      const path = join(folder, `block${at}.mts`);
      writeFileSync(path, `${asProgram(block)}\nexport {};\n`);
      return path;
    });
    const options = ['--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
    // Readers may write JavaScript, so the check is not strict: names and members must exist.
    const lib = ['--lib', 'es2024,dom,dom.iterable', '--types', 'node', '--strict', 'false'];
    const args = ['--ignoreConfig', ...options, ...lib, join(folder, 'given.d.ts'), ...files];
    const { status, stdout } = spawnSync('node_modules/.bin/tsc', args, { encoding: 'utf8' });
    const faults = Array.from(
      stdout.matchAll(/block(\d+)\.mts\((\d+),\d+\): error (.*)/g),
      ([, at, line, message]) => {
        const { page, line: first } = blocks[at];
        return `${page}:${first + Number(line) - 1}: ${message}`;
      },
    );
    return status === 0 || faults.length > 0 ? faults : [`The compiler failed: ${stdout}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
