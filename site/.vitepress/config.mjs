import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const content = new URL('../content/', import.meta.url);
const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(new URL(path, content), 'utf8'))?.[1];
const page = (path) => ({ text: titleOf(`${path}.md`), link: `/${path}` });
const docs = (...names) => names.map((name) => page(`docs/${name}`));

/** What belongs together. All other pages are below "More". */
const GROUPS = {
  Start: ['mounting', 'configuration', 'cookbook', 'comparison'],
  Interfaces: ['operations', 'errors', 'clients', 's3', 'signatures'],
  'Who may do what': ['access', 'browsers', 'cors'],
  'In production': ['backup', 'monitoring', 'lifecycle', 'scaling', 'upgrading', 'performance'],
  'Where data is': ['databases', 'keyv', 's3-blobs', 'drivers'],
  Inside: ['architecture', 'reliability', 'glossary'],
};
const grouped = Object.values(GROUPS).flat();
const others = readdirSync(new URL('docs', content))
  .filter((name) => name.endsWith('.md') && !grouped.includes(name.slice(0, -3)))
  .map((name) => name.slice(0, -3));
const packages = readdirSync(new URL('packages', content)).map((name) => ({
  text: name,
  link: `/packages/${name}/`,
}));
const hasReference = existsSync(new URL('reference', content));

export default defineConfig({
  title: 'Bucketware',
  description: 'Object storage that you mount inside your own app.',
  srcDir: 'content',
  outDir: 'dist',
  rewrites: { 'packages/:name/README.md': 'packages/:name/index.md' },
  // Text such as {{ name }} in the docs is text.
  markdown: { attrs: { disable: true } },
  vue: { template: { compilerOptions: { delimiters: ['\u0001', '\u0002'] } } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Docs', link: '/docs/mounting' },
      ...(hasReference ? [{ text: 'Reference', link: '/reference/' }] : []),
    ],
    sidebar: [
      ...Object.entries(GROUPS).map(([text, names]) => ({ text, items: docs(...names) })),
      ...(others.length > 0 ? [{ text: 'More', items: docs(...others) }] : []),
      { text: 'Packages', collapsed: true, items: packages },
    ],
  },
});
