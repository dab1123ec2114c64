// Draws the pictures in docs from their .dot sources. Usage: npm run draw
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { instance } from '@viz-js/viz';

export const PICTURES = ['docs/architecture.svg', 'docs/parts.svg'];

/** Draws a picture from its source. */
export async function draw(picture) {
  const viz = await instance();
  return viz.renderString(readFileSync(picture.replace(/svg$/, 'dot'), 'utf8'), { format: 'svg' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const picture of PICTURES) writeFileSync(picture, await draw(picture));
}
