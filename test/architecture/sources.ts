import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Source {
  /** Below the package's `src`, such as `http/range.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A path below `src` without its extension, or the name of a package. */
  readonly from: string;
  readonly isOwn: boolean;
  readonly names: readonly string[];
}

const IMPORT = /^(?:import|export)\s+(?:type\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?'([^']+)'/gm;

/** The sources of a package, with what they import and re-export. */
export async function sourcesOf(name: string): Promise<Source[]> {
  const folder = join(ROOT, 'packages', name, 'src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  return Promise.all(
    files.sort().map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8');
      return { path, text, imports: importsOf(text, join(folder, path), folder) };
    }),
  );
}

function importsOf(text: string, file: string, folder: string): Import[] {
  return Array.from(text.matchAll(IMPORT), ([, what = '', from = '']) => {
    const isOwn = from.startsWith('.');
    const own = relative(folder, normalize(join(dirname(file), from))).replace(/\.js$/, '');
    const list = /\{([^}]*)\}/.exec(what)?.[1] ?? '';
    const names = list.split(',').map((item) => item.replace(/^\s*type\s+/, '').trim());
    return { from: isOwn ? own : from, isOwn, names: names.filter((item) => item !== '') };
  });
}

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
  return Array.from(loaded, (url) => relative(join(ROOT, 'packages'), fileURLToPath(url)));
}

export async function packages(): Promise<string[]> {
  return (await readdir(join(ROOT, 'packages'))).sort();
}

/** Lines that are neither empty nor comment. */
export function linesOfCode(text: string): number {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return bare.split('\n').filter((line) => line.trim() !== '').length;
}
