import { memoryMetadata } from '@bucketware/core';
import test from 'ava';
import fc from 'fast-check';
import { core } from './core.js';
import { LEGAL } from './corpus.js';
import { check } from './fuzz.js';

const { cors, keys, lifecycle, listing, manifest, wildcard } = core;

const short = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', 'é'), maxLength: 6 });

test('a pattern with one * matches the text before and after it', (t) => {
  check(
    fc.property(short, short, short, (head, tail, text) => {
      const [before, behind] = [head, tail].map((half) => half.replaceAll('*', ''));
      const whole = `${before}*${behind}`;
      const found = wildcard.matchesWildcard(whole, text);
      const long = text.length >= `${before}${behind}`.length;
      const wanted = long && text.startsWith(before as string) && text.endsWith(behind as string);
      return found === wanted && wildcard.matchesWildcard(whole, `${before}${text}${behind}`);
    }),
    10_000,
  );
  t.pass();
});

test('only the first CORS rule that matches in every respect is found', (t) => {
  const some = fc.array(short, { minLength: 1, maxLength: 3 });
  const rules = fc.array(
    fc.record({ allowedOrigins: some, allowedMethods: some, allowedHeaders: some }),
    { maxLength: 4 },
  );
  check(
    fc.property(
      rules,
      short,
      short,
      fc.array(short, { maxLength: 3 }),
      (given, origin, method, names) => {
        const fits = (patterns: readonly string[], text: string) =>
          patterns.some((one) => wildcard.matchesWildcard(one, text));
        const wanted = given.find(
          ({ allowedOrigins, allowedMethods, allowedHeaders }) =>
            fits(allowedOrigins, origin) &&
            allowedMethods.includes(method) &&
            names.every((name) => fits(allowedHeaders, name)),
        );
        return cors.matchCors(given, { origin, method, headers: names }) === wanted;
      },
    ),
    10_000,
  );
  t.pass();
});

test('the first lifecycle rule to take effect is the one that checking all of them would find', (t) => {
  const prefix = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '😀'), maxLength: 4 });
  const absolute = ['2030-01-01T00:00:00Z', '2030-06-04T00:00:00Z', '2031-01-01T00:00:00Z'];
  const expiries = [
    ...absolute.map((date) => ({ at: Date.parse(date) })),
    ...[1, 3, 5, 300].map((afterDays) => ({ afterDays })),
    {},
  ];
  const rules = fc.array(
    fc.record({
      id: fc.string(),
      status: fc.constantFrom('enabled', 'disabled'),
      resource: fc.array(
        prefix.map((text) => `bucket/${text}*`),
        { minLength: 1, maxLength: 3 },
      ),
      expires: fc.constantFrom(...expiries),
      action: fc.constant('DeleteObject'),
    }),
    { maxLength: 8 },
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<readonly LifecycleRule[]>;
  let found = 0;
  check(
    fc.property(rules, prefix, (given, key) => {
      const time = Date.parse('2030-06-01T00:00:00Z');
      for (const [at, rule] of given.entries()) Object.assign(rule, { id: `rule ${at}` });
      const due = ({ expires: { afterDays, at = 0 } = {} }: LifecycleRule): number =>
        afterDays === undefined ? at : time + afterDays * 86_400_000;
      const matching = given.filter(
        ({ status, resource }) =>
          status === 'enabled' &&
          resource.some((one) => wildcard.matchesWildcard(one, `bucket/${key}`)),
      );
      const wanted = matching.toSorted((a, b) => due(a) - due(b))[0];
      const verdict = new lifecycle.RuleSchedule(given, 'DeleteObject').firstToAct(key, time);
      if (verdict !== undefined) found++;
      return (
        verdict?.ruleId === wanted?.id && (wanted === undefined || verdict?.at === due(wanted))
      );
    }),
    10_000,
  );
  t.true(found > 2000);
});

type LifecycleRule = ConstructorParameters<typeof lifecycle.RuleSchedule>[0][number];

test('a manifest returns its segments from any byte on', (t) => {
  const blob = fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'),
    minLength: 32,
    maxLength: 32,
  });
  const segment = fc.record({
    blob,
    offset: fc.nat(1e12),
    length: fc.integer({ min: 1, max: 1e9 }),
    crc32: fc.nat(0xffffffff),
  });
  check(
    fc.property(
      fc.array(segment, { maxLength: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (given, part) => {
        const segments = given as { blob: string; offset: number; length: number; crc32: number }[];
        const packed = manifest.pack(segments);
        const size = segments.reduce((sum, { length }) => sum + length, 0);
        const start = Math.floor(size * part);
        const found = [...manifest.unpack(packed, start)];
        const bare = found.map(({ skipped: _, ...rest }) => rest);
        const skipped = segments.slice(0, segments.length - found.length);
        const before = skipped.reduce((sum, { length }) => sum + length, 0);
        const [first] = found;
        const begins = first === undefined || (before <= start && start < before + first.length);
        const same = JSON.stringify(bare) === JSON.stringify(segments.slice(skipped.length));
        return manifest.lengthOf(packed) === size && begins && same;
      },
    ),
    5000,
  );
  t.pass();
});

test('pages of any prefix, delimiter, marker and size contain exactly the matching keys', async (t) => {
  const metadata = memoryMetadata();
  const names = [...new Set([...LEGAL, ...['a/b/c', 'a/b/d', 'a/c', 'b/', 'b/a', 'b//a']])];
  await metadata.commit({ put: names.map((name) => ({ key: `o/bucket/${name}`, value: null })) });
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const piece = fc.oneof(
    fc.constantFrom('', '', 'a', 'a/', '../', '\ufffd', '😀'),
    fc.constantFrom(...names),
  );
  const delimiter = fc.constantFrom('', '', '/', '.', 'a', '😀', '\uffff');
  const base = 'o/bucket/';
  await fc.assert(
    fc.asyncProperty(
      piece,
      delimiter,
      piece,
      fc.integer({ min: 1, max: 9 }),
      async (prefix, cut, from, max) => {
        const found: string[] = [];
        let marker = from;
        for (let page = 0; page < 300; page++) {
          const start = listing.afterMarker({ base, prefix, delimiter: cut, marker });
          const { items, isTruncated, last } = await listing.listPage(metadata, {
            kind: { decode: (entry) => entry },
            ...{ base, prefix, delimiter: cut, start, max },
          });
          found.push(...items.map((item) => ('entry' in item ? item.name : item.commonPrefix)));
          if (!isTruncated) break;
          marker = last as string;
        }
        const shown = (name: string): string => {
          const at = cut === '' ? -1 : name.indexOf(cut, prefix.length);
          return at < 0 ? name : name.slice(0, at + cut.length);
        };
        const order = (name: string) => Buffer.from(name);
        const behind = sorted
          .filter((name) => name.startsWith(prefix))
          .filter((name) => {
            const cutName = shown(name);
            if (from === '') return true;
            // A common prefix that is itself the marker was listed before, with everything below
            // it.
            if (cutName !== name && cutName === from) return false;
            return Buffer.compare(order(name), order(from)) > 0;
          });
        return JSON.stringify(found) === JSON.stringify([...new Set(behind.map(shown))]);
      },
    ),
    { numRuns: 400 },
  );
  t.pass();
});

test('the end of a prefix is after all of its keys, and before every later key', (t) => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((found) => found.isWellFormed());
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  check(
    fc.property(text, text, text, (prefix, more, other) => {
      const end = keys.afterPrefix(prefix);
      if (end === undefined) return Array.from(prefix).every((one) => one === '\u{10ffff}');
      const outside =
        other.startsWith(prefix) || compare(other, prefix) < 0 || compare(other, end) >= 0;
      return end.isWellFormed() && compare(prefix + more, end) < 0 && outside;
    }),
    10_000,
  );
  t.pass();
});
