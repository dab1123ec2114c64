// Draws docs/architecture.svg from docs/architecture.dot. Usage: npm run draw
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { instance } from '@viz-js/viz';

const SOURCE = 'docs/architecture.dot';
export const PICTURE = 'docs/architecture.svg';

/** The picture that the source gives. */
export async function draw() {
  const viz = await instance();
  return viz.renderString(readFileSync(SOURCE, 'utf8'), { format: 'svg' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(PICTURE, await draw());
}
