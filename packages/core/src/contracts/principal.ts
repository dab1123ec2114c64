/** The caller, as your app's login identified them. */
export interface Principal {
  /** Part of the owner that ListParts shows: `<tenantCode>-<tenantId>`. */
  readonly tenantCode: string;
  readonly tenantId: string;
  /** Identifies the user within the tenant. Shown as owner id by ListMultipartUploads. */
  readonly userId: string;
  readonly userName: string;
}

/**
 * What the option `principal` may return. `undefined`, `null` and `false` mean an anonymous caller.
 */
export type PrincipalResult = Principal | undefined | null | false;

/**
 * A permission on a bucket or object, as in access control lists. `CREATE` is the permission to
 * create a bucket; by default everyone who is not anonymous has it.
 */
export type Permission = 'READ' | 'LIST' | 'WRITE' | 'FULL_CONTROL' | 'CREATE';

/**
 * What `authorize` has to decide. The function is called once for each bucket or object that a
 * request uses.
 */
export interface AccessQuestion {
  /** The operation's name, such as `GetObject`. */
  readonly operation: string;
  readonly permission: Permission;
  /** Absent for ListBuckets, which is not about one bucket. */
  readonly bucket?: string | undefined;
  /** Absent when the request is about the bucket itself. */
  readonly key?: string | undefined;
  /** Whether the object is the source of a copy or rename. */
  readonly source: boolean;
  /** `undefined` for an anonymous caller. */
  readonly principal: Principal | undefined;
  /**
   * In bytes: the announced length of the request's body, or how much a copy takes from its source.
   * `undefined` if no length was announced, for the file of a form, and for all other requests.
   */
  readonly size: number | undefined;
  /**
   * The decision of the default rule: the owner may do everything, other callers only what is
   * granted to them.
   */
  readonly allowed: boolean;
}

/** Your own access rule. Return `question.allowed` to keep the default. */
export type Authorize = (question: AccessQuestion) => boolean | Promise<boolean>;
