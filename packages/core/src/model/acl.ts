/** What a grant can allow. On an object only READ and FULL_CONTROL. */
export const BUCKET_PERMISSIONS = ['READ', 'LIST', 'WRITE', 'MODIFY', 'FULL_CONTROL'] as const;
export const OBJECT_PERMISSIONS = ['READ', 'FULL_CONTROL'] as const;

/** One entry of an access control list, in the words of the wire. */
export interface Grant {
  /** User ids; `*` is everybody, anonymous callers included. */
  readonly grantee: readonly { readonly id: string }[];
  readonly permission: readonly string[];
  /** `<bucket>/<prefix>*`: what the grant is about. Default: everything in the bucket. */
  readonly resource?: readonly string[];
  /** What it is not about. */
  readonly notResource?: readonly string[];
  /** `Deny` wins over every `Allow`. Default `Allow`. */
  readonly effect?: 'Allow' | 'Deny';
}

const EVERYBODY = [{ id: '*' }];

/** The canned lists, without what the owner always has. */
export const CANNED: Readonly<Record<string, readonly Grant[]>> = {
  private: [],
  'public-read': [{ grantee: EVERYBODY, permission: ['READ'] }],
  'public-read-write': [{ grantee: EVERYBODY, permission: ['READ', 'WRITE'] }],
};

export interface GrantQuestion {
  /** Undefined: an anonymous caller. */
  readonly userId: string | undefined;
  readonly permission: string;
  /** `<bucket>/<key>`, or `<bucket>/` for the bucket itself. */
  readonly resource: string;
}

/** Some grant allows it, and none denies it. */
export const isGranted = (grants: readonly Grant[], question: GrantQuestion): boolean =>
  !isDenied(grants, question) && grants.some((grant) => applies(grant, question));

export const isDenied = (grants: readonly Grant[], question: GrantQuestion): boolean =>
  grants.some((grant) => grant.effect === 'Deny' && applies(grant, question));

function applies(grant: Grant, { userId, permission, resource }: GrantQuestion): boolean {
  const { grantee, permission: granted, resource: about, notResource: except } = grant;
  return (
    grantee.some(({ id }) => id === '*' || id === userId) &&
    (granted.includes(permission) || granted.includes('FULL_CONTROL')) &&
    (about === undefined || about.some((pattern) => matchesWildcard(pattern, resource))) &&
    !except?.some((pattern) => matchesWildcard(pattern, resource))
  );
}

/** Whether text fits a pattern with at most one `*`. Takes time in proportion to the text. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
}
