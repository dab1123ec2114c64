import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Case, CaseContext } from '../case.js';
import { Failure, fails, outcome } from '../failure.js';
import type { Conditions } from '../values.js';

const OTHER = '"00000000000000000000000000000000"';

type Verdict = 'done' | Extract<ErrorCode, 'NotModified' | 'PreconditionFailed'>;

/** Stores an object of ten bytes, to evaluate conditions on it. ETags are quoted, as in HTTP. */
async function store({ alice, newBucket }: CaseContext) {
  const bucket = await newBucket();
  await alice.putObject(bucket, 'key', '0123456789');
  const { etag, lastModified } = await alice.headObject(bucket, 'key');
  const shifted = (seconds: number) =>
    new Date(lastModified.getTime() + seconds * 1000).toUTCString();
  const times = { before: shifted(-1), modified: shifted(0), after: shifted(1) };

  /** GET and HEAD evaluate conditions in the same way. */
  const expect = async (conditions: Conditions, verdict: Verdict): Promise<void> => {
    const shown = JSON.stringify(conditions);
    const got = await outcome(alice.getObject(bucket, 'key', { conditions }));
    const seen = await outcome(alice.headObject(bucket, 'key', { conditions }));
    assert.equal(got instanceof Failure ? got.code : 'done', verdict, `GET ${shown}`);
    assert.equal(seen instanceof Failure ? seen.code : 'done', verdict, `HEAD ${shown}`);
    for (const answer of [got, seen]) {
      const status = { done: 200, NotModified: 304, PreconditionFailed: 412 }[verdict];
      assert.equal(answer.http.status, status, shown);
      if (answer instanceof Failure && verdict === 'NotModified') {
        assert.equal(answer.details.etag, etag);
      }
    }
    if (!(got instanceof Failure)) assert.equal(got.text, '0123456789');
  };
  return { bucket, etag: `"${etag}"`, bare: etag, ...times, expect };
}

export const cases: readonly Case[] = [
  {
    id: 'condition-if-match',
    name: 'If-Match without the object’s ETag is 412; quotes, lists and * are supported',
    async prove(context) {
      const { etag, bare, expect } = await store(context);
      for (const ifMatch of [etag, bare, '*', `${OTHER}, ${etag}`, `${OTHER},${bare}`]) {
        await expect({ ifMatch }, 'done');
      }
      for (const ifMatch of [OTHER, bare.slice(1), `${OTHER}, ${OTHER}`, `W/${etag}`, '"*"']) {
        await expect({ ifMatch }, 'PreconditionFailed');
      }
    },
  },
  {
    id: 'condition-if-none-match',
    name: 'If-None-Match with the object’s ETag is 304 without a body and with the ETag',
    async prove(context) {
      const { etag, bare, expect } = await store(context);
      for (const ifNoneMatch of [etag, bare, '*', `${OTHER}, ${etag}`, `W/${etag}`]) {
        await expect({ ifNoneMatch }, 'NotModified');
      }
      for (const ifNoneMatch of [OTHER, `${OTHER}, W/${OTHER}`]) {
        await expect({ ifNoneMatch }, 'done');
      }
    },
  },
  {
    id: 'condition-if-modified-since',
    name: 'If-Modified-Since with a time at or after the last change is 304',
    async prove(context) {
      const { modified, before, after, expect } = await store(context);
      await expect({ ifModifiedSince: before }, 'done');
      await expect({ ifModifiedSince: modified }, 'NotModified');
      await expect({ ifModifiedSince: after }, 'NotModified');
    },
  },
  {
    id: 'condition-if-unmodified-since',
    name: 'If-Unmodified-Since with a time before the last change is 412',
    async prove(context) {
      const { modified, before, after, expect } = await store(context);
      await expect({ ifUnmodifiedSince: before }, 'PreconditionFailed');
      await expect({ ifUnmodifiedSince: modified }, 'done');
      await expect({ ifUnmodifiedSince: after }, 'done');
    },
  },
  {
    id: 'condition-dates',
    name: 'dates may have the three forms of HTTP; an invalid date is ignored',
    async prove(context) {
      const { expect } = await store(context);
      const old = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT'];
      for (const value of [...old, 'Sun Nov  6 08:49:37 1994']) {
        await expect({ ifUnmodifiedSince: value }, 'PreconditionFailed');
        await expect({ ifModifiedSince: value }, 'done');
      }
      for (const value of [
        'Wed, 31 Feb 2027 00:00:00 GMT',
        'yesterday',
        '0',
        '2050-01-01T00:00:00Z',
        '2050',
        '',
      ]) {
        await expect({ ifModifiedSince: value }, 'done');
        await expect({ ifUnmodifiedSince: value }, 'done');
      }
    },
  },
  {
    id: 'condition-precedence',
    name: 'If-Match takes precedence over If-Unmodified-Since, If-None-Match over If-Modified-Since, and 412 over 304',
    async prove(context) {
      const { etag, modified, before, after, expect } = await store(context);
      const [match, none] = [{ ifMatch: etag }, { ifNoneMatch: etag }];
      const rows: readonly (readonly [Conditions, Verdict])[] = [
        [{ ...match, ifUnmodifiedSince: before }, 'done'],
        [{ ifMatch: OTHER, ifUnmodifiedSince: after }, 'PreconditionFailed'],
        [{ ifNoneMatch: OTHER, ifModifiedSince: after }, 'done'],
        [{ ...none, ifModifiedSince: before }, 'NotModified'],
        [{ ifMatch: OTHER, ...none }, 'PreconditionFailed'],
        [{ ...match, ...none }, 'NotModified'],
        [{ ...match, ifModifiedSince: modified }, 'NotModified'],
        [{ ifUnmodifiedSince: before, ...none }, 'PreconditionFailed'],
        [{ ifUnmodifiedSince: after, ifModifiedSince: before }, 'done'],
      ];
      for (const [conditions, verdict] of rows) await expect(conditions, verdict);
    },
  },
  {
    id: 'condition-missing',
    name: 'conditions do not hide that the object does not exist',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const conditions of [{ ifNoneMatch: '*' }, { ifMatch: '*' }]) {
        await fails(alice.getObject(bucket, 'no', { conditions }), 'NoSuchKey');
        await fails(alice.headObject(bucket, 'no', { conditions }), 'NoSuchKey');
      }
    },
  },
  {
    id: 'condition-if-range',
    name: 'with If-Range, a Range applies only while the object is unchanged',
    async prove(context) {
      const { bucket, etag, modified, before } = await store(context);
      const get = (range: string, ifRange: string) =>
        context.alice.getObject(bucket, 'key', { range, ifRange });
      for (const seen of [etag, modified]) {
        const found = await get('bytes=0-1', seen);
        assert.deepEqual([found.text, found.range?.last], ['01', 1]);
      }
      for (const other of [OTHER, before, `W/${etag}`, 'nonsense']) {
        const found = await get('bytes=0-1', other);
        assert.deepEqual([found.text, found.range], ['0123456789', undefined]);
      }
      assert.equal((await get('bytes=99-', OTHER)).text, '0123456789');
    },
  },
  {
    id: 'condition-before-range',
    name: 'conditions are evaluated before the Range',
    async prove(context) {
      const { bucket, etag } = await store(context);
      const get = (conditions: Conditions) =>
        context.alice.getObject(bucket, 'key', { range: 'bytes=99-', conditions });
      await fails(get({ ifMatch: OTHER }), 'PreconditionFailed');
      await fails(get({ ifNoneMatch: etag }), 'NotModified');
    },
  },
];
