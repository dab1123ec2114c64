// Copies what becomes a page to site/content, in the folders that it has in the repository, so that
// relative links stay true. Links to files that are no pages lead to the repository.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const content = join(root, 'site/content');
const { homepage } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'));
const repository = homepage.slice(0, homepage.indexOf('/packages/'));

const below = (folder, name) =>
  readdirSync(join(root, folder))
    .map((each) => join(folder, each, name))
    .filter((path) => existsSync(join(root, path)));
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...docs.map((name) => join('docs', name)),
  ...below('packages', 'README.md'),
  ...below('examples', 'README.md'),
];

/** Where a page is on the site. */
const targetOf = (page) => (page === 'README.md' ? 'index.md' : page);

/** A link as it must be on the site. */
function linkOf(page, target) {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [path, anchor] = target.split('#');
  const file = relative(root, resolve(root, dirname(page), path));
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (!pages.includes(file)) {
    return /\.(svg|png|webp|jpg)$/.test(file) ? target : `${repository}/${file}${suffix}`;
  }
  return file === 'README.md' ? `/${suffix}` : `/${targetOf(file)}${suffix}`;
}

const LINK = /(\]\()([^)\s]+)(\))/g;
const asPage = (page, text) =>
  text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(LINK, (_, before, target, after) => before + linkOf(page, target) + after),
    )
    .join('');

rmSync(content, { recursive: true, force: true });
for (const page of pages) {
  const target = join(content, targetOf(page));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, asPage(page, readFileSync(join(root, page), 'utf8')));
}
for (const name of readdirSync(join(root, 'docs'))) {
  if (!name.endsWith('.md'))
    cpSync(join(root, 'docs', name), join(content, 'docs', name), { recursive: true });
}
mkdirSync(join(content, 'public'), { recursive: true });
cpSync(join(root, 'llms.txt'), join(content, 'public/llms.txt'));
