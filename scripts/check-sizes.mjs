// Checks how much a browser has to load, bundled, minified and gzipped. An import of a module of
// Node is an error.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** The maximum sizes, in bytes. */
const LIMITS = {
  'packages/client/dist/index.js': 13_200,
  'packages/console/dist/page/main.js': 100_000,
};

export async function findSizeFaults() {
  const faults = [];
  for (const [entry, limit] of Object.entries(LIMITS)) {
    const options = {
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    };
    const { outputFiles } = await build({ ...options, entryPoints: [entry], logLevel: 'silent' });
    const size = gzipSync(outputFiles[0].contents).length;
    if (size > limit) faults.push(`${entry} has ${size} bytes gzipped; ${limit} are allowed`);
  }
  return faults;
}
