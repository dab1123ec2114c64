// Bundles the page of the console. Requires a build.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const home = new URL('../packages/console/', import.meta.url);
const pathOf = (path) => fileURLToPath(new URL(path, home));

/** Writes a file atomically, because tests may bundle while another one reads the file. */
async function put(name, contents) {
  const path = pathOf(`dist/assets/${name}`);
  const known = await readFile(path).catch(() => undefined); // Missing the first time.
  if (known?.equals(contents)) return;
  const draft = `${path}.${randomUUID()}`; // Tests run in threads of one process.
  await writeFile(draft, contents);
  await rename(draft, path);
}

export async function bundle() {
  await mkdir(pathOf('dist/assets'), { recursive: true });
  const options = { bundle: true, minify: true, write: false, legalComments: 'none' };
  const sources = {
    'console.js': { entryPoints: [pathOf('dist/page/main.js')], format: 'esm', target: 'es2022' },
    'console.css': { entryPoints: [pathOf('src/page/console.css')] },
  };
  for (const [name, source] of Object.entries(sources)) {
    const { outputFiles } = await build({ ...options, ...source });
    await put(name, Buffer.from(outputFiles[0].contents));
  }
  for (const name of ['console.html', 'console.svg']) {
    await put(name, await readFile(pathOf(`src/page/${name}`)));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
