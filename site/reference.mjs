// Writes the reference of all packages to site/content/reference, from their docstrings.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Application, Converter } from 'typedoc';

const root = resolve(import.meta.dirname, '..');
/** The sources that can be imported, with the names by which they are. */
const names = new Map(
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const directory = join(root, 'packages', folder);
    const { name, exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return Object.entries(exports)
      .filter(([, { types }]) => types !== undefined)
      .map(([entry, { types }]) => {
        const source = types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts');
        return [join(directory, source), name + entry.slice(1)];
      });
  }),
);

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(root, 'site/tsconfig.json'),
  entryPoints: Array.from(names.keys()),
  out: join(root, 'site/content/reference'),
  readme: 'none',
  entryFileName: 'index',
  router: 'module',
  excludeInternal: true,
  disableSources: true,
  skipErrorChecking: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  sanitizeComments: true,
  name: 'Reference',
  logLevel: 'Warn',
  validation: { notExported: false, invalidLink: true, rewrittenLink: true, notDocumented: false },
});
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
  const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.fileName;
  const name = reflection.parent === context.project ? names.get(file) : undefined;
  if (name !== undefined) reflection.name = name;
});
const project = await app.convert();
if (project === undefined) process.exit(1);
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
