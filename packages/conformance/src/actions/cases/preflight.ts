import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { APP, accessHeaders, newCorsBucket, preflightOf } from '../cors-tools.js';
import { fails } from '../failure.js';
import type { CorsRule } from '../settings.js';
import { textOf } from '../tools.js';

const RULE: CorsRule = { allowedOrigins: [APP], allowedMethods: ['GET', 'PUT'] };

export const cases: readonly Case[] = [
  {
    id: 'preflight',
    name: 'a preflight that a rule allows is 200 without a body, with all settings of the rule',
    async prove(context) {
      const bucket = await newCorsBucket(context, {
        allowedOrigins: ['https://*.example'],
        allowedMethods: ['GET', 'PUT', 'POST', 'DELETE'],
        allowedHeaders: ['x-svc-*', 'authorization', 'content-type'],
        exposedHeaders: ['ETag', 'x-svc-request-id'],
        maxAgeSeconds: 600,
      });
      for (const key of ['a/key', 'key', undefined, '']) {
        const headers = 'Authorization, x-svc-META-a,content-type';
        const answer = await preflightOf(context.anonymous, bucket, key, { headers });
        const { http, ...shown } = answer;
        assert.deepEqual(shown, {
          allowOrigin: APP,
          allowCredentials: true,
          allowMethods: ['get', 'put', 'post', 'delete'],
          allowHeaders: ['authorization', 'x-svc-meta-a', 'content-type'],
          exposeHeaders: ['etag', 'x-svc-request-id'],
          maxAge: 600,
        });
        const allowed = http.header('access-control-allow-headers')?.replaceAll(', ', ',');
        assert.equal(allowed, 'Authorization,x-svc-META-a,content-type');
      }
    },
  },
  {
    id: 'preflight-bare',
    name: 'the response to a preflight omits headers for what was neither set nor requested',
    async prove(context) {
      const { anonymous } = context;
      const bucket = await newCorsBucket(context, { ...RULE, allowedHeaders: ['*'] });
      for (const headers of [undefined, '', ' , ,']) {
        const { http } = await preflightOf(anonymous, bucket, 'key', { headers });
        const names = ['allow-credentials', 'allow-methods', 'allow-origin'];
        const expected = names.map((name) => `access-control-${name}`);
        assert.deepEqual(accessHeaders(http).sort(), expected);
      }
      const zero = await newCorsBucket(context, { ...RULE, maxAgeSeconds: 0 });
      assert.equal((await preflightOf(anonymous, zero, 'key')).maxAge, 0);
    },
  },
  {
    id: 'preflight-vary',
    name: 'Vary lists the headers that a preflight depends on, whether it is allowed or not',
    async prove(context) {
      const { anonymous } = context;
      const bucket = await newCorsBucket(context, RULE);
      const expected = [
        ...['access-control-request-headers', 'access-control-request-method', 'origin'],
      ];
      const { http } = await preflightOf(anonymous, bucket, 'key');
      assert.deepEqual(http.list('vary').sort(), expected);
      for (const question of [{ origin: 'https://other.example' }, { method: 'DELETE' }]) {
        const refused = preflightOf(anonymous, bucket, 'key', question);
        const failure = await fails(refused, 'AccessDenied');
        assert.deepEqual(failure.http.list('vary').sort(), expected);
      }
    },
  },
  {
    id: 'preflight-no-rules',
    name: 'before any rule is set, and after rules are deleted, every preflight is 403 AccessDenied',
    async prove(context) {
      const { alice, anonymous } = context;
      const bucket = await context.newBucket();
      const refused = async () => {
        for (const key of [undefined, 'key']) {
          const { http } = await fails(preflightOf(anonymous, bucket, key), 'AccessDenied');
          assert.deepEqual(accessHeaders(http), []);
        }
      };
      await refused();
      await alice.putCors(bucket, [RULE]);
      await preflightOf(anonymous, bucket, 'key');
      await alice.deleteCors(bucket);
      await refused();
    },
  },
  {
    id: 'preflight-incomplete',
    name: 'a preflight without Origin or without Access-Control-Request-Method is 400 InvalidArgument',
    async prove(context) {
      const bucket = await newCorsBucket(context, RULE);
      for (const question of [
        {},
        { origin: APP },
        { method: 'PUT' },
        { method: 'PUT', origin: '' },
        { method: '', origin: APP },
      ]) {
        for (const key of [undefined, 'key']) {
          for (const caller of [context.alice, context.anonymous]) {
            const { http } = await fails(
              caller.preflight(bucket, key, question),
              'InvalidArgument',
            );
            assert.deepEqual(accessHeaders(http), []);
          }
        }
      }
    },
  },
  {
    id: 'preflight-anybody',
    name: 'a preflight needs no authentication: credentials have no effect',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await newCorsBucket(context, RULE);
      await alice.putObject(bucket, 'key', 'mine');
      for (const caller of [alice, bob, anonymous]) {
        for (const key of ['key', 'absent']) {
          await preflightOf(caller, bucket, key);
          await fails(preflightOf(caller, bucket, key, { method: 'DELETE' }), 'AccessDenied');
        }
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'mine');
    },
  },
  {
    id: 'preflight-no-bucket',
    name: 'a preflight for a bucket that does not exist is 404 NoSuchBucket',
    async prove({ anonymous, newName }) {
      const bucket = newName();
      for (const key of [undefined, 'key']) {
        const { http } = await fails(preflightOf(anonymous, bucket, key), 'NoSuchBucket');
        assert.deepEqual(accessHeaders(http), []);
      }
      await fails(preflightOf(anonymous, 'A_b', 'key'), 'InvalidBucketName');
    },
  },
];
