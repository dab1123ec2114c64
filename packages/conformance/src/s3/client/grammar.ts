import assert from 'node:assert/strict';
import type { CorsRule, LifecycleRule } from '../../actions/settings.js';
import type { Grant, Permission } from '../../actions/values.js';
import type { SettingBodies } from '../../client/spelling.js';
import { ownerIn } from './listing.js';
import { all, documentIn, type Element, knows, type Node, one, optional, write } from './xml.js';

/** How S3 writes access control lists, CORS rules and lifecycle rules. */

const XSI = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type=';
export const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

/** In S3, READ on a bucket means listing it. */
function wordFor(permission: Permission): string {
  assert.notEqual(permission, 'MODIFY', 'S3 has no word for MODIFY');
  return permission === 'LIST' ? 'READ' : permission;
}

const granteeNode = (id: string): Node =>
  id === '*'
    ? ['Grantee', [['URI', ALL_USERS]], `${XSI}"Group"`]
    : ['Grantee', [['ID', id]], `${XSI}"CanonicalUser"`];

const policyNode = (grants: readonly Grant[]): Node => [
  'AccessControlPolicy',
  [
    [
      'AccessControlList',
      grants.flatMap(({ grantees, permissions }) =>
        grantees.flatMap((id) =>
          permissions.map((permission): Node => {
            const word: Node = ['Permission', wordFor(permission)];
            return ['Grant', [granteeNode(id), word]];
          }),
        ),
      ),
    ],
  ],
];

function grantsIn(policy: Element): Grant[] {
  knows(policy, 'Owner', 'AccessControlList');
  const [list] = all(policy, 'AccessControlList');
  assert.ok(list);
  const grants: Grant[] = [];
  for (const grant of all(list, 'Grant')) {
    const [grantee] = all(grant, 'Grantee');
    assert.ok(grantee);
    const id = optional(grantee, 'ID') ?? (one(grantee, 'URI') === ALL_USERS ? '*' : '');
    const permission = one(grant, 'Permission') as Permission;
    const last = grants.at(-1);
    // S3 has a separate grant for each permission.
    if (last?.grantees[0] === id) grants.pop();
    const permissions = last?.grantees[0] === id ? last.permissions : [];
    grants.push({ grantees: [id], permissions: [...permissions, permission] });
  }
  return grants;
}

const texts = (name: string, values: readonly string[] = []): Node[] =>
  values.map((value) => [name, value]);

const corsNode = (rule: CorsRule): Node => [
  'CORSRule',
  [
    ...texts('AllowedOrigin', rule.allowedOrigins),
    ...texts('AllowedMethod', rule.allowedMethods),
    ...texts('AllowedHeader', rule.allowedHeaders),
    ...texts('ExposeHeader', rule.exposedHeaders),
    ...(rule.maxAgeSeconds === undefined ? [] : [['MaxAgeSeconds', rule.maxAgeSeconds] as const]),
  ],
];

function corsRuleIn(rule: Element): CorsRule {
  knows(rule, 'AllowedOrigin', 'AllowedMethod', 'AllowedHeader', 'ExposeHeader', 'MaxAgeSeconds');
  const listOf = (name: string) => all(rule, name).map(({ text }) => text);
  const [headers, exposed] = [listOf('AllowedHeader'), listOf('ExposeHeader')];
  const age = optional(rule, 'MaxAgeSeconds');
  return {
    allowedOrigins: listOf('AllowedOrigin'),
    allowedMethods: listOf('AllowedMethod'),
    ...(headers.length > 0 && { allowedHeaders: headers }),
    ...(exposed.length > 0 && { exposedHeaders: exposed }),
    ...(age !== undefined && { maxAgeSeconds: Number(age) }),
  };
}

function lifecycleNode({ id, enabled, prefixes, days, date, action }: LifecycleRule): Node {
  const [prefix = '', ...more] = prefixes;
  assert.equal(more.length, 0, 'a rule of S3 has one prefix');
  const time: Node[] = [
    ...(days === undefined ? [] : [['Days', days] as const]),
    ...(date === undefined ? [] : [['Date', date.toISOString()] as const]),
  ];
  const effect: Node =
    action === 'DeleteObject'
      ? ['Expiration', time]
      : ['AbortIncompleteMultipartUpload', [['DaysAfterInitiation', days ?? '']]];
  const named: Node[] = id === undefined ? [] : [['ID', id]];
  const filter: Node = ['Filter', [['Prefix', prefix]]];
  return ['Rule', [...named, filter, ['Status', enabled ? 'Enabled' : 'Disabled'], effect]];
}

function lifecycleRuleIn(rule: Element): LifecycleRule {
  knows(rule, 'ID', 'Filter', 'Status', 'Expiration', 'AbortIncompleteMultipartUpload');
  const [filter] = all(rule, 'Filter');
  const [expiration] = all(rule, 'Expiration');
  const [abort] = all(rule, 'AbortIncompleteMultipartUpload');
  assert.ok(filter);
  const days = expiration
    ? optional(expiration, 'Days')
    : one(abort as Element, 'DaysAfterInitiation');
  const date = expiration && optional(expiration, 'Date');
  return {
    id: one(rule, 'ID'),
    enabled: one(rule, 'Status') === 'Enabled',
    prefixes: [one(filter, 'Prefix')],
    ...(days !== undefined && { days: Number(days) }),
    ...(date !== undefined && { date: new Date(date) }),
    action: expiration ? 'DeleteObject' : 'AbortMultipartUpload',
  };
}

const OF_LIST = 'AccessControlPolicy';
const OF_CORS = 'CORSConfiguration';
const OF_LIFECYCLE = 'LifecycleConfiguration';

export const settings: SettingBodies = {
  aclText: (grants) => write(policyNode(grants)),
  bucketAclIn(answer) {
    const policy = documentIn(answer, OF_LIST);
    const grants = grantsIn(policy);
    const owners = grants.pop();
    assert.ok(owners, 'S3 lists the rights of the owner');
    return { ownerId: ownerIn(policy).id, grants: [owners, ...grants] };
  },
  objectAclIn(answer) {
    const policy = documentIn(answer, OF_LIST);
    const grants = grantsIn(policy);
    const owners = { grantees: [ownerIn(policy).id], permissions: ['FULL_CONTROL'] };
    assert.deepEqual(grants.pop(), owners, 'S3 lists the rights of the owner');
    return grants;
  },
  corsText: (rules) => write([OF_CORS, rules.map(corsNode)]),
  corsIn: (answer) => all(documentIn(answer, OF_CORS), 'CORSRule').map(corsRuleIn),
  lifecycleText: (rules) => write([OF_LIFECYCLE, rules.map(lifecycleNode)]),
  lifecycleIn: (answer) => all(documentIn(answer, OF_LIFECYCLE), 'Rule').map(lifecycleRuleIn),
};
