import { isPublic } from '../engine/access/acl.js';
import type { Grant, Grantee } from '../engine/records/acls.js';

/** Whether a given list has a grant to everyone, or to every user. */
export function setsPublic(input: object): boolean {
  const { acl, grantRead, grantFullControl, accessControlList } = input as AclInputs;
  const grants = (accessControlList ?? []).filter(({ effect }) => effect !== 'Deny');
  const grantees = [
    grantRead ?? [],
    grantFullControl ?? [],
    ...grants.map((grant) => grant.grantee),
  ];
  return acl?.startsWith('public') === true || grantees.flat().some(isPublic);
}

/** Whether an access control list is given. */
export function setsAList(input: object): boolean {
  const { acl, grantRead, grantFullControl, accessControlList } = input as AclInputs;
  return [acl, grantRead, grantFullControl, accessControlList].some((given) => given !== undefined);
}

/** The inputs that set an access control list. */
interface AclInputs {
  readonly acl?: string;
  readonly grantRead?: readonly Grantee[];
  readonly grantFullControl?: readonly Grantee[];
  readonly accessControlList?: readonly Grant[];
}
