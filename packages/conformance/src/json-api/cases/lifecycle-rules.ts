import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { nested, padded, putSetting } from '../wire/settings.js';
import { putRules, ruleFor, rulesOf } from './bucket-lifecycle.js';

/** Creates bodies for a bucket with this name. */
type Bodies = (bucket: string) => readonly unknown[];

/** Asserts that each body is rejected, and that the previous rules stay. */
async function refuse(storage: StorageClient, bodies: Bodies, code: string): Promise<void> {
  const bucket = await storage.newBucket();
  (await putRules(storage, bucket, ruleFor(bucket))).is(200);
  for (const body of bodies(bucket)) {
    const answer = await putSetting(storage, `/${bucket}`, 'lifecycle', body);
    assert.equal(answer.status, 400, `took ${JSON.stringify(body).slice(0, 300)}`);
    answer.fails(400, code);
  }
  assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
}

/** Bodies with a valid rule, followed by a rule in which one field is invalid. */
const withEach =
  (name: string, values: readonly unknown[]): Bodies =>
  (bucket) =>
    values.map((value) => ({
      rule: [ruleFor(bucket, { id: 'right' }), ruleFor(bucket, { [name]: value })],
    }));

const date = (dateGreaterThan: unknown) => ({ time: { dateGreaterThan } });

const GOOD_DATES = [
  ...['2026-01-01T00:00:00Z', '2024-02-29T00:00:00Z', '9999-12-31T00:00:00Z'],
  ...['$(lastModified)+P1D', '$(lastModified)+P30D', '$(lastModified)+P36500D'],
];

const BAD_DATES = [
  ...['2026-01-01T00:00:01Z', '2026-01-01T12:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01'],
  ...['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00+00:00'],
  ...['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2026-06-31T00:00:00Z'],
  ...['2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z', '2026-01-00T00:00:00Z'],
  ...['26-01-01T00:00:00Z', '+002026-01-01T00:00:00Z', ' 2026-01-01T00:00:00Z', '', 'tomorrow'],
  ...['2026-01-01T00:00:00Z\n', '2026-01-01t00:00:00z', '1767225600000'],
  ...['$(lastModified)+P0D', '$(lastModified)+P-1D', '$(lastModified)+P1.5D', '$(lastModified)+PD'],
  ...['$(lastModified)+P1W', '$(lastModified)+P1M', '$(lastModified)+P1Y', '$(lastModified)+PT24H'],
  ...['$(lastModified)+P1DT1H', '$(lastModified)-P1D', '$(lastModified)', '$(lastmodified)+P1D'],
  ...['$(lastModified) + P1D', '$(lastModified)+p1d', '$(created)+P1D', 'P1D', '+P1D'],
  `$(lastModified)+P${'9'.repeat(400)}D`,
  `$(lastModified)+P99999999999D`,
];

export const cases: readonly HttpRule[] = [
  {
    id: 'lifecycle-malformed',
    name: 'rules that are not JSON are 400 MalformedJSON, and the old rules stay',
    prove: (storage) =>
      refuse(
        storage,
        () => ['', '{', 'rule', "{'rule':[]}", '{"rule":[],}', '<a/>'],
        'MalformedJSON',
      ),
  },
  {
    id: 'lifecycle-wrong',
    name: 'rules with the wrong structure are 400 InappropriateJSON, and the old rules stay',
    prove: (storage) =>
      refuse(
        storage,
        (bucket) => [
          ...['null', '1', '"a"', '{}', '[]', '{"rule":null}', '{"rule":{}}', '{"rule":[]}'],
          ...['{"rules":[{}]}', nested(10_000), `{"rule":${nested(10_000)}}`],
          ...[null, 1, 'a', [], {}].map((rule) => ({ rule: [ruleFor(bucket), rule] })),
        ],
        'InappropriateJSON',
      ),
  },
  {
    id: 'lifecycle-ids',
    name: 'an id is text and unique: a repeated one is 400 InvalidArgument',
    async prove(storage) {
      await refuse(storage, withEach('id', [1, null, [], {}, true]), 'InappropriateJSON');
      await refuse(storage, withEach('id', ['right', 'x'.repeat(10_000)]), 'InvalidArgument');
    },
  },
  {
    id: 'lifecycle-status',
    name: 'a status is enabled or disabled, in lower case',
    prove: (storage) =>
      refuse(
        storage,
        withEach('status', [
          undefined,
          null,
          '',
          'Enabled',
          'DISABLED',
          'on',
          true,
          1,
          ['enabled'],
        ]),
        'InappropriateJSON',
      ),
  },
  {
    id: 'lifecycle-resources',
    name: 'a resource is <bucket>/, <bucket>/* or <bucket>/<prefix>/*',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const rest of ['', '*', 'a/*', 'a/b c/ü/*', '/*', '../*', 'a//*']) {
        const rule = ruleFor(bucket, { resource: [`${bucket}/${rest}`] });
        (await putRules(storage, bucket, rule)).is(200);
        assert.deepEqual(await rulesOf(storage, bucket), [rule]);
      }
      // Some clients send these empty values for optional fields.
      const empty = { not: {}, condition: { time: {}, tag: {}, objectSize: {} } };
      (await putRules(storage, bucket, ruleFor(bucket, empty))).is(200);
      const some = { condition: { objectSize: { minSize: 1 } } };
      (await putRules(storage, bucket, ruleFor(bucket, some))).fails(501, 'NotImplemented');
      const shapes = [undefined, null, 'a/*', {}, 1, [1], [null], [['a/*']]];
      await refuse(storage, withEach('resource', shapes), 'InappropriateJSON');
      await refuse(
        storage,
        (own) => [
          ...withEach('resource', [
            [],
            ['*'],
            [''],
            ['/'],
            ['/*'],
            [own],
            [`${own}*`],
            [`/${own}/*`],
          ])(own),
          ...withEach('resource', [[`${own}/*/a`], [`${own}/a*b`], [`${own}/**`], [`${own}/a`]])(
            own,
          ),
          ...withEach('resource', [[`${own}/*`, `${own}x/*`], ['other/*'], [`*/${own}/*`]])(own),
          ...withEach('resource', [[`${own.toUpperCase()}/*`], [`${own}/${'*a'.repeat(5000)}`]])(
            own,
          ),
        ],
        'InvalidArgument',
      );
    },
  },
  {
    id: 'lifecycle-conditions',
    name: 'a condition is an object; its time, and the date of the time, are optional, and empty ones count as absent',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const condition of [{}, { time: {} }]) {
        const rule = ruleFor(bucket, { condition });
        (await putRules(storage, bucket, rule)).is(200);
        assert.deepEqual(await rulesOf(storage, bucket), [rule]);
      }
      const shapes = [undefined, null, [], 'x', 1, { time: null }, { time: [] }, { time: 'x' }];
      await refuse(storage, withEach('condition', shapes), 'InappropriateJSON');
      const dates = [1, null, [], {}, true].map(date);
      await refuse(storage, withEach('condition', dates), 'InappropriateJSON');
    },
  },
  {
    id: 'lifecycle-dates',
    name: 'a date is a valid midnight, or $(lastModified)+P<n>D with whole days',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const text of GOOD_DATES) {
        const rule = ruleFor(bucket, { condition: date(text) });
        (await putRules(storage, bucket, rule)).is(200);
        assert.deepEqual(await rulesOf(storage, bucket), [rule], text);
      }
      await refuse(storage, withEach('condition', BAD_DATES.map(date)), 'InvalidArgument');
    },
  },
  {
    id: 'lifecycle-actions',
    name: 'an action must be DeleteObject or AbortMultipartUpload',
    async prove(storage) {
      const shapes = [undefined, null, 'DeleteObject', [], {}, { name: 1 }, { name: null }];
      await refuse(storage, withEach('action', shapes), 'InappropriateJSON');
      const names = ['Transition', 'deleteObject', 'DeleteObject ', '', 'toString', 'PutObject'];
      const actions = names.map((name) => ({ name, storageClass: 'COLD' }));
      await refuse(storage, withEach('action', actions), 'InvalidArgument');
    },
  },
  {
    id: 'lifecycle-too-large',
    name: 'a body larger than any valid one is 400 MaxMessageLengthExceeded, with or without Content-Length',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await putRules(storage, bucket, ruleFor(bucket))).is(200);
      const large = Buffer.from(padded({ rule: [ruleFor(bucket, { id: 'b' })] }, 4 * 1024 * 1024));
      for (const body of [large, [large]]) {
        const answer = await storage.send({ method: 'PUT', path: `/${bucket}?lifecycle`, body });
        answer.fails(400, 'MaxMessageLengthExceeded');
      }
      assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
    },
  },
];
