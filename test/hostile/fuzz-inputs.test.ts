import test from 'ava';
import fc from 'fast-check';
import { type Field, operations } from './core.js';
import { SPELLINGS } from './corpus.js';
import { any, check, polluted, refusing, wire } from './fuzz.js';

/** Values as a program may give them, and as JSON may hold them. */
const value = fc.anything({
  key: fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'length',
      'key',
      'id',
      'grantee',
      'permission',
      'rule',
    ),
    fc.constantFrom('resource', 'status', 'action', 'name', 'condition', 'time', 'bucket', 'eTag'),
    fc.constantFrom('partNumber', 'allowedOrigins', 'allowedMethods', 'maxAgeSeconds', 'versionId'),
    fc.string(),
  ),
  values: [
    any,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('READ', 'enabled', 'GET', '*'),
  ],
  maxDepth: 4,
  withNullPrototype: true,
  withBigInt: true,
});
const inputs = operations.flatMap(({ name, input }) =>
  Object.entries(input).map(([field, read]): [string, Field] => [`${name}.${field}`, read]),
);

for (const [part, make] of [
  [
    'headers',
    (text: string) => ({
      headers: { get: () => text, has: () => true, names: () => ['x-svc-meta-a'] },
    }),
  ],
  ['query', (text: string) => ({ query: { get: () => text, has: () => true, names: () => [] } })],
] as const) {
  test(`every input of every operation takes any text of its ${part}, or refuses it`, (t) => {
    t.true(inputs.length > 120, `${inputs.length} inputs`);
    const text = fc.oneof(
      any,
      wire('id="', '"', ',', '%', '/', 'bucket', '\ud800', '\0', '=='),
      fc.constantFrom(...SPELLINGS),
    );
    const nothing = { get: () => undefined, has: () => false, names: () => [] };
    check(
      fc.property(fc.constantFrom(...inputs), text, ([, field], found) => {
        const source = { headers: nothing, query: nothing, json: {}, ...make(found) };
        refusing(() => field.read(source));
        return !polluted();
      }),
      20_000,
    );
  });
}

test('every input of every operation takes any value of a program or of JSON, or refuses it', (t) => {
  check(
    fc.property(fc.constantFrom(...inputs), value, ([, field], given) => {
      refusing(() => field.accept(given));
      return !polluted();
    }),
    20_000,
  );
  t.false(polluted());
});
