// What a browser has to load: bundled, minified and gzipped. An import of Node's modules fails here.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes at most. */
const LIMITS = {
  'packages/client/dist/index.js': 12_000,
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
    if (size > limit)
      faults.push(`${entry} is ${size} bytes gzipped, of ${limit} that are allowed`);
  }
  return faults;
}
