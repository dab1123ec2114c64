import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { Acl, CorsAnswer } from '../../actions/settings.js';
import type { AclOptions, Grant } from '../../actions/values.js';
import type { Answer } from '../../http/answer.js';
import { assertEmpty, type Connection } from './connection.js';
import {
  corsNode,
  corsRuleIn,
  grantsIn,
  lifecycleNode,
  lifecycleRuleIn,
  policyNode,
} from './grammar.js';
import { aclHeaders } from './headers.js';
import { ownerIn } from './listing.js';
import { all, type Node, write } from './xml.js';

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
  if (isList(acl)) return { body: write(policyNode(acl)) };
  return { headers: aclHeaders(typeof acl === 'string' ? { acl } : acl) };
}

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
  const put = async (flag: string, bucket: string, key: string | undefined, request: object) => {
    const call = { method: 'PUT', bucket, key, query: { [flag]: '' }, ...request };
    assertEmpty(await connection.call(call, 200));
  };
  const get = (flag: string, root: string, bucket: string, key?: string) =>
    connection.document({ method: 'GET', bucket, key, query: { [flag]: '' } }, root);
  const remove = async (flag: string, bucket: string) => {
    const call = { method: 'DELETE', bucket, query: { [flag]: '' } };
    assertEmpty(await connection.call(call, 204));
  };
  const body = (root: string, nodes: readonly Node[]) => ({ body: write([root, nodes]) });
  return {
    putBucketAcl: (bucket, acl) => put('acl', bucket, undefined, aclRequest(acl)),
    async getBucketAcl(bucket) {
      const policy = await get('acl', 'AccessControlPolicy', bucket);
      const grants = grantsIn(policy);
      const owners = grants.pop();
      assert.ok(owners, 'S3 lists the rights of the owner');
      return { ownerId: ownerIn(policy).id, grants: [owners, ...grants] };
    },
    putObjectAcl: (bucket, key, acl) => put('acl', bucket, key, aclRequest(acl)),
    async getObjectAcl(bucket, key) {
      const policy = await get('acl', 'AccessControlPolicy', bucket, key);
      const grants = grantsIn(policy);
      const owners = grants.pop();
      const all = { grantees: [ownerIn(policy).id], permissions: ['FULL_CONTROL'] };
      assert.deepEqual(owners, all, 'S3 lists the rights of the owner');
      return grants;
    },
    deleteObjectAcl: () => Promise.reject(new Error('S3 has no such action.')),
    putCors: (bucket, rules) =>
      put('cors', bucket, undefined, body('CORSConfiguration', rules.map(corsNode))),
    async getCors(bucket) {
      return all(await get('cors', 'CORSConfiguration', bucket), 'CORSRule').map(corsRuleIn);
    },
    deleteCors: (bucket) => remove('cors', bucket),
    putLifecycle: (bucket, rules) =>
      put('lifecycle', bucket, undefined, body('LifecycleConfiguration', rules.map(lifecycleNode))),
    async getLifecycle(bucket) {
      return all(await get('lifecycle', 'LifecycleConfiguration', bucket), 'Rule').map(
        lifecycleRuleIn,
      );
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
