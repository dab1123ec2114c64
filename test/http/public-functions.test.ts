import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from '@bucketware/core';
import { actions } from '@bucketware/core/dialect';
import test, { type ExecutionContext } from 'ava';
import {
  functions,
  type Loose,
  methods,
  methodsWithoutOptions,
  type Row,
  withoutOptions,
} from './public-functions.js';
import { memoryStorage } from './servers.js';

const PACKAGES = new URL('../../../packages/', import.meta.url);

/** The names under which apps import the packages: their roots and subpaths. */
const entries = readdirSync(PACKAGES).flatMap((directory) => {
  const { name, exports } = JSON.parse(
    readFileSync(new URL(`${directory}/package.json`, PACKAGES), 'utf8'),
  );
  return Object.keys(exports).map((path) => name + path.slice(1));
});

const isClass = (target: unknown) => /^class\b/.test(String(target));
const isErrorClass = (target: Loose) => target.prototype instanceof Error;

/** Each exported function, once, with where it is exported first. */
async function exported() {
  const found = new Map<Loose, { entry: string; name: string }>();
  for (const entry of entries) {
    for (const [name, value] of Object.entries(await import(entry))) {
      if (typeof value !== 'function' || isErrorClass(value as Loose)) continue;
      if (!found.has(value as Loose)) found.set(value as Loose, { entry, name });
    }
  }
  return found;
}

/** Passes each option under a misspelled name. */
async function refusesMisspelled(
  t: ExecutionContext,
  what: string,
  target: Loose,
  { options, call = (of, given) => of(given) }: Row,
) {
  const made: Loose = isClass(target) ? (...given) => Reflect.construct(target, given) : target;
  const names = Object.keys(options);
  for (const name of names) {
    const { [name]: value, ...others } = options as Record<string, unknown>;
    const wrong = `${name}${name.at(-1)}`;
    await t.throwsAsync(
      async () => call(made, { ...others, [wrong]: value }),
      { instanceOf: TypeError, message: new RegExp(`${wrong}\\. Did you mean .*${name}`) },
      `${what}: ${wrong}`,
    );
  }
  await t.throwsAsync(
    async () => call(made, { ...options, zzOption: 1 }),
    { instanceOf: TypeError, message: /zzOption\./ },
    `${what}: zzOption`,
  );
}

test('every public function refuses unknown options, and suggests the name that was meant', async (t) => {
  const all = await exported();
  t.true(all.size > 100);
  for (const [target, { entry, name }] of all) {
    const rows = functions[entry]?.[name];
    const isListed = withoutOptions[entry]?.split(' ').includes(name);
    t.true((rows !== undefined) !== (isListed === true), `${entry} ${name} is in one list`);
    for (const row of rows ?? []) await refusesMisspelled(t, `${entry} ${name}`, target, row);
  }
});

test('the lists of public functions name only functions that exist', async (t) => {
  const names = Object.entries(withoutOptions).map(([entry, list]) => [entry, list.split(' ')]);
  const rows = Object.entries(functions).map(([entry, row]) => [entry, Object.keys(row)]);
  for (const [entry, listed] of [...names, ...rows] as [string, string[]][]) {
    const module = await import(entry);
    for (const name of listed) t.is(typeof module[name], 'function', `${entry} ${name}`);
  }
});

test('every method of a storage refuses unknown options and parameters', async (t) => {
  const storage = await memoryStorage();
  const groups = { '': storage, 'lifecycle.': storage.lifecycle };
  const all = Object.entries({ ...groups, 'maintenance.': storage.maintenance }).flatMap(
    ([prefix, group]) =>
      Object.entries(group)
        .filter(([, value]) => typeof value === 'function')
        .map(([name, value]) => [prefix + name, value as Loose] as const),
  );
  for (const [name, method] of all) {
    if (Object.hasOwn(actions, name)) {
      const error = await t.throwsAsync(async () => method({ zzParameter: 1 }), {
        instanceOf: StorageError,
        message: /zzParameter\. /,
      });
      t.is((error as StorageError).code, 'InvalidArgument');
      continue;
    }
    const rows = methods[name];
    const isListed = methodsWithoutOptions.split(' ').includes(name);
    t.true((rows !== undefined) !== isListed, `${name} is in one list`);
    for (const row of rows ?? []) await refusesMisspelled(t, name, method, row);
  }
});
