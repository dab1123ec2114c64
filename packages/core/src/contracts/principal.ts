/** Who is calling, as the host's own login found out. */
export interface Principal {
  /** With `tenantId`, the owner that ListParts shows: `<tenantCode>-<tenantId>`. */
  readonly tenantCode: string;
  readonly tenantId: string;
  /** Identifies the user within the tenant. Shown as owner id by ListMultipartUploads. */
  readonly userId: string;
  readonly userName: string;
}

/** What a host's `principal` may return. `undefined`, `null` and `false` are an anonymous caller. */
export type PrincipalResult = Principal | undefined | null | false;

/**
 * What a caller needs on a bucket or object, in the words of its access control list. `CREATE` is
 * needed for a bucket that does not exist yet; by default everyone who is not anonymous may.
 */
export type Permission = 'READ' | 'LIST' | 'WRITE' | 'FULL_CONTROL' | 'CREATE';

/** Asked once for each bucket or object that a request would touch. */
export interface AccessQuestion {
  /** The operation's name, such as `GetObject`. */
  readonly operation: string;
  readonly permission: Permission;
  /** Absent when the request is about no bucket yet: ListBuckets. */
  readonly bucket?: string | undefined;
  /** Absent when the request is about the bucket itself. */
  readonly key?: string | undefined;
  /** True: the object is the source of a copy or rename. */
  readonly source: boolean;
  /** Undefined: an anonymous caller. */
  readonly principal: Principal | undefined;
  /**
   * Bytes: what a request with a body has announced, or what a copy takes of its source. Undefined
   * when nothing was announced, for the file of a form, and for all other questions.
   */
  readonly size: number | undefined;
  /** What the default rule answers: the owner may do all, others what is granted to them. */
  readonly allowed: boolean;
}

/** The host's own rule. Return `question.allowed` to keep the default one. */
export type Authorize = (question: AccessQuestion) => boolean | Promise<boolean>;
