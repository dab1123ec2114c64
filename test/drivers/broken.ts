import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A mistake that an author of a driver could make, and the case that detects it. */
export interface Mistake {
  /** What the driver does wrong. */
  readonly does: string;
  /** Parts of the driver's source, each of which occurs exactly once, and their replacements. */
  readonly edits: readonly (readonly [right: string, wrong: string])[];
  /** The id of the case that fails. */
  readonly caught: string;
}

/** Loads the built module of a driver with a mistake. */
export async function broken<Module>(file: URL, edits: Mistake['edits']): Promise<Module> {
  let source = await readFile(file, 'utf8');
  for (const [right, wrong] of edits) {
    const found = source.split(right).length - 1;
    if (found !== 1) throw new Error(`'${right}' is ${found} times in ${file}, and not once.`);
    source = source.replace(right, () => wrong);
  }
  // A data: URL cannot resolve package names and relative paths.
  const { resolve } = createRequire(file);
  const absolute = source
    .replace(/^\/\/# sourceMappingURL.*$/m, '')
    .replace(/(from ')([^']+)(')/g, (all, before, name, after) => {
      if (name.startsWith('node:')) return all;
      const url = name.startsWith('.') ? new URL(name, file) : pathToFileURL(resolve(name));
      return `${before}${url}${after}`;
    });
  return import(`data:text/javascript,${encodeURIComponent(absolute)}`);
}
