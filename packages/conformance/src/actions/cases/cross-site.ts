import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Case, CaseContext } from '../case.js';
import type { DialectClient } from '../client.js';
import { newCorsBucket } from '../cors-tools.js';
import { fails } from '../failure.js';
import { textOf } from '../tools.js';

const OTHER = 'https://other.example';

/** Changes that a page could request with a form, or with a fetch that needs no preflight. */
const changesOf = ({ traits }: CaseContext, bucket: string) => {
  const changes: ((client: DialectClient) => Promise<unknown>)[] = [
    (client) => client.deleteObjects(bucket, ['key']),
    (client) => client.putObject(bucket, 'key', 'other'),
    (client) => client.putBucketAcl(bucket, 'public-read'),
    (client) => client.deleteObject(bucket, 'key'),
    (client) => client.deleteBucket(bucket),
    (client) => client.createBucket(`${bucket}-new`),
  ];
  if (traits.offers.has('append')) {
    changes.push((client) => client.appendObject(bucket, 'key', 'other'));
  }
  return changes;
};

const ownOrigin = ({ server }: CaseContext): string => `http://${new URL(server.url).host}`;

export const cases: readonly Case[] = [
  {
    id: 'cross-site-refused',
    name: 'a change requested by a page of another site is 403, and nothing changes',
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      await alice.putObject(bucket, 'key', 'whole');
      const own = ownOrigin(context);
      for (const headers of [
        { origin: OTHER },
        { origin: 'null' },
        { origin: `${own}0` },
        { origin: 'file://' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'same-site', origin: own },
        { origin: OTHER, 'content-type': 'text/plain' },
      ]) {
        for (const change of changesOf(context, bucket)) {
          await fails(change(alice.with({ headers })), 'AccessDenied', `${change}`);
        }
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'whole');
      await alice.with({ headers: { origin: OTHER } }).getObject(bucket, 'key');
      await fails(alice.headBucket(`${bucket}-new`), 'NoSuchBucket');
    },
  },
  {
    id: 'cross-site-own',
    name: 'a change requested by a page on the same origin, or by no page, is carried out',
    async prove(context) {
      const bucket = await context.newBucket();
      for (const headers of [
        { origin: ownOrigin(context) },
        { 'sec-fetch-site': 'same-origin', origin: OTHER },
        { 'sec-fetch-site': 'none' },
        {},
      ]) {
        await context.alice.with({ headers }).putObject(bucket, 'key', 'x');
        await context.alice.deleteObject(bucket, 'key');
      }
    },
  },
  {
    id: 'cross-site-cors',
    name: 'a CORS rule allows changes from its origin with its method; with *, only those without a cookie',
    needs: ['append'],
    async prove(context) {
      const { alice, newName } = context;
      const bucket = await newCorsBucket(
        context,
        { allowedOrigins: [OTHER], allowedMethods: ['PUT'] },
        { allowedOrigins: ['*'], allowedMethods: ['POST'] },
      );
      const from = (headers: OutgoingHttpHeaders) => alice.with({ headers });
      const cookie = { cookie: 'session=1' };
      const site = { 'sec-fetch-site': 'cross-site', origin: OTHER };
      await from({ ...site, ...cookie }).putObject(bucket, 'key', 'x');
      await fails(from(site).deleteObject(bucket, 'key'), 'AccessDenied');
      const put = from({ origin: 'https://b' }).putObject(bucket, 'key', 'x');
      await fails(put, 'AccessDenied');
      for (const origin of [OTHER, 'https://b', 'null']) {
        await from({ origin }).appendObject(bucket, 'key', 'x');
        const append = from({ origin, ...cookie }).appendObject(bucket, 'key', 'x');
        await fails(append, 'AccessDenied');
      }
      await fails(from(site).createBucket(newName()), 'AccessDenied');
    },
  },
];
