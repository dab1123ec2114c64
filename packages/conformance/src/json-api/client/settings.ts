import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { Acl, CorsAnswer } from '../../actions/settings.js';
import type { AclOptions, Grant } from '../../actions/values.js';
import type { Answer } from '../../http/answer.js';
import { assertEmpty, assertFields, type Connection, fieldsOf } from './connection.js';
import {
  corsOfJson,
  corsToJson,
  grantOfJson,
  grantToJson,
  type JsonCorsRule,
  type JsonGrant,
  type JsonLifecycleRule,
  lifecycleOfJson,
  lifecycleToJson,
} from './grammar.js';
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

/** A list in the body, or what headers say. */
function aclRequest(acl: Acl | AclOptions) {
  if (isList(acl)) return { body: JSON.stringify({ accessControlList: acl.map(grantToJson) }) };
  return { headers: aclHeaders(typeof acl === 'string' ? { acl } : acl) };
}

/** The grants of a list, which have no other fields than these. */
const grantsIn = (list: readonly JsonGrant[]): Grant[] =>
  list.map((one) => {
    assertFields({ ...one }, ['grantee', 'permission'], ['effect', 'resource', 'notResource']);
    return grantOfJson(one);
  });

/** What an answer tells a browser. */
const corsAnswerOf = (answer: Answer): CorsAnswer => {
  const age = answer.header('access-control-max-age');
  const credentials = answer.header('access-control-allow-credentials');
  assert.ok(credentials === undefined || credentials === 'true');
  return {
    allowOrigin: answer.header('access-control-allow-origin'),
    allowCredentials: credentials === 'true',
    allowMethods: answer.list('access-control-allow-methods'),
    allowHeaders: answer.list('access-control-allow-headers'),
    exposeHeaders: answer.list('access-control-expose-headers'),
    maxAge: age === undefined ? undefined : Number(age),
    http: answer,
  };
};

export const settingActions = (connection: Connection): Actions => {
  const put = async (flag: string, bucket: string, key: string | undefined, request: object) =>
    assertEmpty(await connection.call({ method: 'PUT', bucket, key, flag, ...request }, 200));
  const get = (flag: string, bucket: string, key?: string) =>
    connection.call({ method: 'GET', bucket, key, flag }, 200);
  const remove = async (flag: string, bucket: string, key?: string) =>
    assertEmpty(await connection.call({ method: 'DELETE', bucket, key, flag }, 204));
  return {
    putBucketAcl: (bucket, acl) => put('acl', bucket, undefined, aclRequest(acl)),
    async getBucketAcl(bucket) {
      const answer = await get('acl', bucket);
      const { owner, accessControlList } = fieldsOf(answer, ['owner', 'accessControlList']);
      assertFields(owner, ['id']);
      return { ownerId: owner.id, grants: grantsIn(accessControlList) };
    },
    putObjectAcl: (bucket, key, acl) => put('acl', bucket, key, aclRequest(acl)),
    async getObjectAcl(bucket, key) {
      const answer = await get('acl', bucket, key);
      return grantsIn(fieldsOf(answer, ['accessControlList']).accessControlList);
    },
    deleteObjectAcl: (bucket, key) => remove('acl', bucket, key),
    putCors: (bucket, rules) => {
      const body = JSON.stringify({ corsConfiguration: rules.map(corsToJson) });
      return put('cors', bucket, undefined, { body });
    },
    async getCors(bucket) {
      const answer = await get('cors', bucket);
      const { corsConfiguration } = fieldsOf(answer, ['corsConfiguration']);
      return corsConfiguration.map((rule: JsonCorsRule) => {
        const optional = ['allowedHeaders', 'allowedExposeHeaders', 'maxAgeSeconds'];
        assertFields({ ...rule }, ['allowedOrigins', 'allowedMethods'], optional);
        return corsOfJson(rule);
      });
    },
    deleteCors: (bucket) => remove('cors', bucket),
    putLifecycle: (bucket, rules) => {
      const rule = rules.map((one) => lifecycleToJson(bucket, one));
      return put('lifecycle', bucket, undefined, { body: JSON.stringify({ rule }) });
    },
    async getLifecycle(bucket) {
      const { rule } = fieldsOf(await get('lifecycle', bucket), ['rule']);
      return rule.map((one: JsonLifecycleRule) => {
        assertFields({ ...one }, ['id', 'status', 'resource', 'condition', 'action']);
        return lifecycleOfJson(bucket, one);
      });
    },
    deleteLifecycle: (bucket) => remove('lifecycle', bucket),
    async preflight(bucket, key, { origin, method, headers }) {
      const asked = {
        ...(origin !== undefined && { origin }),
        ...(method !== undefined && { 'access-control-request-method': method }),
        ...(headers !== undefined && { 'access-control-request-headers': headers }),
      };
      const call = { method: 'OPTIONS', bucket, key, headers: asked };
      const answer = await connection.call(call, 200);
      assertEmpty(answer);
      return corsAnswerOf(answer);
    },
  };
};
