import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url));

export interface Source {
  /** Below `packages`, such as `core/src/http/range.ts`. */
  readonly path: string;
  readonly text: string;
}

export async function sourcesOf(name: string): Promise<Source[]> {
  const folder = join(PACKAGES, name, 'src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  return Promise.all(
    files.map(async (file) => ({
      path: relative(PACKAGES, join(folder, file)),
      text: await readFile(join(folder, file), 'utf8'),
    })),
  );
}

export const packages = (): Promise<string[]> => readdir(PACKAGES);

const LOADED =
  /(?:^import |^(?:import|export) [\w*\s{},$]+ from |\bimport\()'(\.[^']*|@bucketware\/[^']*)'/gm;

/** The built files of this project, below `packages`, that importing a package loads. */
export async function filesLoadedBy(name: string): Promise<string[]> {
  const loaded = new Set<string>();
  const load = async (url: string): Promise<void> => {
    if (loaded.has(url)) return;
    loaded.add(url);
    const text = await readFile(fileURLToPath(url), 'utf8');
    for (const [, from = ''] of text.matchAll(LOADED)) {
      await load(from.startsWith('.') ? new URL(from, url).href : import.meta.resolve(from));
    }
  };
  await load(import.meta.resolve(`@bucketware/${name}`));
  return Array.from(loaded, (url) => relative(PACKAGES, fileURLToPath(url)));
}

/** Lines that are neither empty nor comment. */
export function linesOfCode(text: string): number {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return bare.split('\n').filter((line) => line.trim() !== '').length;
}
