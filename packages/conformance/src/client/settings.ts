import assert from 'node:assert/strict';
import type { DialectClient } from '../actions/client.js';
import type { Acl, CorsAnswer } from '../actions/settings.js';
import type { AclOptions, Grant } from '../actions/values.js';
import type { Answer } from '../http/answer.js';
import { assertEmpty, numberIn } from './answers.js';
import type { Connection } from './connection.js';
import { aclHeaders } from './headers.js';

type Actions = Pick<
  DialectClient,
  | 'putBucketAcl'
  | 'getBucketAcl'
  | 'putObjectAcl'
  | 'getObjectAcl'
  | 'deleteObjectAcl'
  | 'putCors'
  | 'getCors'
  | 'deleteCors'
  | 'putLifecycle'
  | 'getLifecycle'
  | 'deleteLifecycle'
  | 'preflight'
>;

const isList = (acl: Acl | AclOptions): acl is readonly Grant[] => Array.isArray(acl);

/** The CORS headers of a response. */
function corsAnswerOf(answer: Answer): CorsAnswer {
  const credentials = answer.header('access-control-allow-credentials');
  assert.ok(credentials === undefined || credentials === 'true');
  return {
    allowOrigin: answer.header('access-control-allow-origin'),
    allowCredentials: credentials === 'true',
    allowMethods: answer.list('access-control-allow-methods'),
    allowHeaders: answer.list('access-control-allow-headers'),
    exposeHeaders: answer.list('access-control-expose-headers'),
    maxAge: numberIn(answer.header('access-control-max-age')),
    http: answer,
  };
}

/** Actions on settings. Only their bodies differ between dialects. */
export function settingActions(connection: Connection): Actions {
  const { spelling } = connection;
  const { settings } = spelling;
  const put = async (flag: string, bucket: string, key: string | undefined, request: object) =>
    assertEmpty(await connection.call({ method: 'PUT', bucket, key, flag, ...request }, 200));
  const get = (flag: string, bucket: string, key?: string) =>
    connection.call({ method: 'GET', bucket, key, flag }, 200);
  const remove = async (flag: string, bucket: string, key?: string) =>
    assertEmpty(await connection.call({ method: 'DELETE', bucket, key, flag }, 204));
  /** A request with a list in its body or headers. */
  const aclRequest = (acl: Acl | AclOptions) =>
    isList(acl)
      ? { body: settings.aclText(acl) }
      : { headers: aclHeaders(spelling, typeof acl === 'string' ? { acl } : acl) };
  return {
    putBucketAcl: (bucket, acl) => put('acl', bucket, undefined, aclRequest(acl)),
    getBucketAcl: async (bucket) => settings.bucketAclIn(await get('acl', bucket)),
    putObjectAcl: (bucket, key, acl) => put('acl', bucket, key, aclRequest(acl)),
    getObjectAcl: async (bucket, key) => settings.objectAclIn(await get('acl', bucket, key)),
    deleteObjectAcl: (bucket, key) => remove('acl', bucket, key),
    putCors: (bucket, rules) => put('cors', bucket, undefined, { body: settings.corsText(rules) }),
    getCors: async (bucket) => settings.corsIn(await get('cors', bucket)),
    deleteCors: (bucket) => remove('cors', bucket),
    putLifecycle: (bucket, rules) =>
      put('lifecycle', bucket, undefined, { body: settings.lifecycleText(rules, bucket) }),
    getLifecycle: async (bucket) => settings.lifecycleIn(await get('lifecycle', bucket), bucket),
    deleteLifecycle: (bucket) => remove('lifecycle', bucket),
    async preflight(bucket, key, { origin, method, headers }) {
      const preflight = {
        ...(origin !== undefined && { origin }),
        ...(method !== undefined && { 'access-control-request-method': method }),
        ...(headers !== undefined && { 'access-control-request-headers': headers }),
      };
      const answer = await connection.call(
        { method: 'OPTIONS', bucket, key, headers: preflight },
        200,
      );
      assertEmpty(answer);
      return corsAnswerOf(answer);
    },
  };
}
