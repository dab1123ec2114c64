import { StorageError } from '@bucketware/core';
import test from 'ava';
import fc from 'fast-check';
import { ABSENT, core, type Field, jsonTerms, operations } from './core.js';
import { SPELLINGS } from './corpus.js';
import { any, check, polluted, refusing, wire } from './fuzz.js';

/** Values that a program may pass, and that JSON may contain. */
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
  test(`every input of every operation accepts or rejects any text of its ${part}`, (t) => {
    t.true(inputs.length > 120, `${inputs.length} inputs`);
    const text = fc.oneof(
      any,
      wire('id="', '"', ',', '%', '/', 'bucket', '\ud800', '\0', '=='),
      fc.constantFrom(...SPELLINGS),
    );
    check(
      fc.property(fc.constantFrom(...inputs), text, ([, field], found) => {
        const source = { headers: ABSENT, query: ABSENT, body: {}, ...make(found) };
        refusing(() => field.read(source));
        return !polluted();
      }),
      10_000,
    );
  });
}

test('every input of every operation accepts or rejects any value of a program or of JSON', (t) => {
  check(
    fc.property(fc.constantFrom(...inputs), value, ([, field], given) => {
      refusing(() => field.accept(given));
      refusing(() => field.readJson(given));
      return !polluted();
    }),
    10_000,
  );
  t.false(polluted());
});

const fieldOf = (operation: string, name: string): Field => {
  const field = operations.find((item) => item.name === operation)?.input[name];
  if (field === undefined) throw new Error(`${operation} has no ${name}.`);
  return field;
};

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 8 });
/** Mostly valid values, and sometimes others. */
const mostly = (wanted: readonly unknown[], ...others: readonly unknown[]) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...wanted) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
    { weight: 1, arbitrary: fc.anything() },
  );
const list = (of: fc.Arbitrary<unknown>) => fc.array(of, { minLength: 1, maxLength: 4 });
const record = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(model, { noNullPrototype: false }).map((found) => JSON.parse(JSON.stringify(found)));

const pattern = mostly(
  ['bucket/*', 'bucket/a*', '*', 'bucket/', 'b*t/a', 'bucket/é*'],
  '**',
  '\ud800',
  1,
);
const grant = record({
  grantee: list(
    record({
      id: mostly(['u-bob', '*'], '', '\ud800', 'x'.repeat(257)),
      polluted: maybe(fc.anything()),
    }),
  ),
  permission: list(mostly(['READ', 'FULL_CONTROL'], 'read', 'WRITE', ['READ'])),
  resource: maybe(list(pattern)),
  notResource: maybe(list(pattern)),
  effect: maybe(mostly(['Allow', 'Deny'], 'deny', null)),
  ['__proto__']: maybe(fc.constant({ effect: 'Allow' })),
});
const corsRule = record({
  allowedOrigins: list(mostly(['*', 'http://x', 'http://*.x'], '**', 'a b', 'é', '\r\n')),
  allowedMethods: list(mostly(['GET', 'PUT'], 'get', 'PATCH')),
  allowedHeaders: maybe(list(mostly(['*', 'x-*'], 'a b', '', '*a*'))),
  allowedExposeHeaders: maybe(list(mostly(['etag', 'x-a'], 'x-*', 'a\r\nb', '"'))),
  maxAgeSeconds: maybe(mostly([0, 600], -1, 1.5, Number.MAX_VALUE, '600')),
});
const rule = record({
  id: maybe(mostly(['a', 'b', 'c', 'd', 'e', 'f', ''], 'x'.repeat(256), '\ud800')),
  status: mostly(['enabled', 'disabled'], 'Enabled', true),
  resource: list(
    mostly(['bucket/', 'bucket/*', 'bucket/a/*'], 'bucket/a', '/*', 'b/*/*', 'b/\ud800*'),
  ),
  condition: mostly(
    [{}, { time: {} }, { time: { dateGreaterThan: '2030-01-01T00:00:00Z' } }],
    ...[{ time: 1 }, { time: { dateGreaterThan: '2030-02-30T00:00:00Z' } }, { tag: 1 }],
  ),
  action: mostly([{ name: 'DeleteObject' }, { name: 'AbortMultipartUpload' }], { name: 'x' }, {}),
});
const part = record({
  partNumber: mostly([1, 2, 3, 10_000], 0, 10_001, 1.5, '1'),
  eTag: mostly(['x', '"x"', 'X'], 1, null),
});

/** Rules in the form that clients get. */
const written = (rules: unknown) =>
  (rules as Parameters<typeof core.rules.toBucketLifecycleRule>[0][])
    .map(core.rules.toBucketLifecycleRule)
    .map(core.jsonRules.writeLifecycleRule);
const asTheyAre = (list: unknown) => list;

type Row = readonly [string, Field, fc.Arbitrary<unknown>, number, (kept: unknown) => unknown];
const LISTS: readonly Row[] = [
  ['grants of a bucket', fieldOf('PutBucketAcl', 'accessControlList'), grant, 100, asTheyAre],
  ['grants of an object', fieldOf('PutObjectAcl', 'accessControlList'), grant, 100, asTheyAre],
  ['CORS rules', fieldOf('PutBucketCors', 'corsConfiguration'), corsRule, 100, asTheyAre],
  ['lifecycle rules', fieldOf('PutBucketLifecycle', 'rule'), rule, 1000, written],
  ['parts', fieldOf('CompleteMultipartUpload', 'parts'), part, 10_000, asTheyAre],
];

for (const [name, field, item, limit, write] of LISTS) {
  test(`${name}: a list is rejected, or stored as equivalent plain data`, (t) => {
    let kept = 0;
    check(
      fc.property(fc.array(item, { maxLength: 5 }), (given) => {
        let found: unknown;
        try {
          found = field.readJson(given);
        } catch (error) {
          return error instanceof StorageError && error.status >= 400 && error.status < 502;
        }
        kept++;
        const text = JSON.stringify(found);
        const again = field.readJson(JSON.parse(JSON.stringify(write(found))));
        const length = (found as unknown[]).length;
        return text.isWellFormed() && length <= limit && JSON.stringify(again) === text;
      }),
      2000,
    );
    t.true(kept > 100, `${kept} were kept`);
    t.is(({} as Record<string, unknown>).effect, undefined);
  });
}

test('a body that is not JSON in UTF-8 of limited size is rejected', async (t) => {
  const bytes = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }),
    fc
      .string({ unit: fc.constantFrom(...'{}[]":,\\u0dea1 \ufeff') })
      .map((text) => Buffer.from(text)),
  );
  const limited = core.jsonBody.jsonBody({ maxBytes: 150, tooLarge: 'EntityTooLarge' });
  type Request = Parameters<typeof limited.read>[0];
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 50 }), async (given, step) => {
      async function* body() {
        for (let at = 0; at < given.length; at += step) yield given.subarray(at, at + step);
      }
      const request = { parsed: undefined, chunks: body } as unknown as Request;
      try {
        const found = await limited.read(request, jsonTerms);
        const text = Buffer.from(given)
          .toString()
          .replace(/^\ufeff/, '');
        return given.length <= 150 && JSON.stringify(JSON.parse(text)) === JSON.stringify(found);
      } catch (error) {
        const code = given.length > 150 ? 'EntityTooLarge' : 'MalformedJSON';
        return error instanceof StorageError && error.code === code;
      }
    }),
    { numRuns: 3000 },
  );
  t.pass();
});
