import { StorageError } from '@bucketware/core';
import test from 'ava';
import fc from 'fast-check';
import { core, findPlace, headersOf } from './core.js';
import { LEGAL } from './corpus.js';
import { any, check, latin, polluted, refusing, wire } from './fuzz.js';

const { dates, range, query, target, conditions } = core;

test('a range lies within the object, or there is none', (t) => {
  const text = fc.oneof(
    wire('bytes=', '-', ',', '0', ' ', '\t', '9'.repeat(400), 'items=', '+', '1e3', '٣'),
    fc.tuple(fc.bigInt(), fc.bigInt()).map(([a, b]) => `bytes=${a}-${b}`),
    fc.tuple(fc.nat(60), fc.nat(60)).map(([a, b]) => `bytes=${a}-${b}`),
    fc.nat(60).map((a) => `bytes=-${a}`),
  );
  const size = fc.oneof(fc.nat(50), fc.maxSafeNat());
  let within = 0;
  check(
    fc.property(text, size, (found, bytes) => {
      const span = refusing(() => range.parseRange(found, bytes));
      if (span === undefined) return true;
      within++;
      const { start, end } = span;
      return Number.isSafeInteger(start) && 0 <= start && start < end && end <= bytes;
    }),
    10_000,
  );
  t.true(within > 500);
  // A range that was written is read back unchanged.
  check(
    fc.property(fc.nat(1e6), fc.nat(1e6), (a, length) => {
      const span = range.parseRange(`bytes=${a}-${a + length}`, 3e6);
      return span?.start === a && span.end === a + length + 1;
    }),
    2000,
  );
});

test('a date has one of three forms, and is returned as it was written', (t) => {
  const names = [
    'Sun, ',
    '06 ',
    'Nov ',
    '1994 ',
    '08:49:37 ',
    'GMT',
    'Sunday, ',
    '06-Nov-94 ',
    '99 ',
    '-',
  ];
  check(
    fc.property(fc.oneof(wire(...names), any), (text) => {
      const time = dates.parseHttpDate(text);
      return time === undefined || (Number.isFinite(time) && Math.abs(time) < 8.64e15);
    }),
    10_000,
  );
  const time = fc.integer({ min: 0, max: 253_402_300_799 });
  check(
    fc.property(time, (at) => dates.parseHttpDate(dates.httpDate(at * 1000)) === at * 1000),
    5000,
  );
  t.pass();
});

test('a query is parsed or rejected completely, and encoded text is decoded correctly', (t) => {
  const pieces = [
    '&',
    '=',
    '+',
    '%',
    '%2',
    '%00',
    '%ff',
    '%C3%A9',
    '__proto__',
    'constructor',
    'a',
  ];
  check(
    fc.property(wire(...pieces), (raw) => {
      const read = refusing(() => new query.Query(raw));
      if (read === undefined) return true;
      const names = [...read.names()];
      for (const name of names) refusing(() => read.get(name));
      return names.every((name) => read.has(name) && name.isWellFormed()) && !polluted();
    }),
    10_000,
  );
  const text = fc.string({ unit: 'grapheme' });
  check(
    fc.property(fc.uniqueArray(text, { minLength: 1 }), text, (names, value) => {
      const read = new query.Query(
        names.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
      );
      return names.every((name) => name === '' || read.get(name) === value);
    }),
    2000,
  );
  t.false(polluted());
});

const request = (url: string, mount = '') =>
  ({ url, mount, encrypted: false, rawHeaders: [] as string[] }) as object as Parameters<
    typeof target.findPlace
  >[0];

test('a path names one bucket and one key, and the path of a key leads back to that key', (t) => {
  const raw = fc.oneof(wire('/', '..', '%2f', '%2e', '?', '%00', '//', 'v1', 'bucket'), any);
  const options = fc.constantFrom(
    {},
    { mount: '/storage' },
    { baseHost: 'h.test', trustProxy: true },
    { host: 'h.test', baseHost: 'bucket.h.test' },
  );
  const host = fc.oneof(wire('.', ':', 'h.test', 'bucket', '@', '[::1]'), any);
  check(
    fc.property(raw, host, options, fc.boolean(), (path, name, place, slash) => {
      const headers = ['Host', name, 'X-Forwarded-Host', name];
      const url = slash ? `/bucket/${path}` : path;
      const found = refusing(() => findPlace(request(url), headers, place));
      if (found === undefined) return true;
      const read = refusing(() => target.readTarget(found));
      if (read === undefined) return true;
      const { bucket, key } = read;
      const named = bucket === undefined || /^[a-z0-9-]{3,63}$/.test(bucket);
      return named && (key === undefined || (key.isWellFormed() && Buffer.byteLength(key) <= 1023));
    }),
    10_000,
  );
  const keys = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  check(
    fc.property(fc.oneof(keys, fc.constantFrom(...LEGAL)), (key) => {
      const url = `/bucket/${target.encodeKey(key)}`;
      const found = findPlace(request(url), []);
      if (found === undefined) return false;
      return key.includes('\0') || target.readTarget(found).key === key;
    }),
    5000,
  );
  t.pass();
});

test('headers are read separately: none hides, duplicates or replaces another', (t) => {
  const name = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'Host', 'If-Match', 'a'),
    latin,
  );
  check(
    fc.property(
      fc.array(fc.tuple(name, latin)),
      fc.constantFrom('x-svc-', 'x-bce-'),
      (pairs, prefix) => {
        const read = refusing(() => headersOf(pairs.flat(), prefix));
        if (read === undefined)
          return pairs.filter(([key]) => key.toLowerCase() === 'host').length > 1;
        for (const key of read.names()) {
          const values = pairs
            .filter(([other]) => other.toLowerCase() === key)
            .map(([, value]) => value);
          const found = refusing(() => read.get(key));
          if (values.length === 1 && found !== (values[0] || undefined)) return false;
        }
        return !polluted();
      },
    ),
    5000,
  );
  const length = fc.oneof(wire('0', '-', '+', ' ', '0x', 'e', '.'), fc.bigInt().map(String));
  check(
    fc.property(length, (text) => {
      const found = refusing(() => core.body.announcedLength(headersOf(['content-length', text])));
      return found === undefined || (Number.isSafeInteger(found) && found >= 0);
    }),
    5000,
  );
  t.pass();
});

test('conditions either hold or fail, and an ETag matches itself', (t) => {
  const etag = 'd41d8cd98f00b204e9800998ecf8427e';
  const object = { etag, lastModified: 1e12 } as Parameters<typeof conditions.requireReadable>[1];
  const list = wire('"', ',', 'W/', '*', etag, ' ', `"${etag}"`);
  const date = fc.option(fc.date({ noInvalidDate: true }), { nil: undefined });
  check(
    fc.property(list, list, date, (ifMatch, ifNoneMatch, ifModifiedSince) => {
      const given = { ifMatch, ifNoneMatch, ifModifiedSince };
      try {
        conditions.requireReadable(given, object);
        conditions.requireWritable(given, object);
      } catch (error) {
        return error instanceof StorageError && [304, 412].includes(error.status);
      }
      return typeof conditions.ifRangeApplies(ifMatch, object) === 'boolean';
    }),
    10_000,
  );
  for (const ifMatch of [etag, `"${etag}"`, '*', `"x", "${etag}"`]) {
    t.notThrows(() => conditions.requireReadable({ ifMatch }, object));
    t.throws(() => conditions.requireReadable({ ifNoneMatch: ifMatch }, object));
  }
});
