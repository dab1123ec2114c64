import type { ListObjectsV2Output } from '@aws-sdk/client-s3';

/** Where a page of a listing begins. Default: at its beginning. */
export interface PageStart {
  readonly StartAfter?: string | undefined;
  readonly ContinuationToken?: string | undefined;
}

/** A page of a listing. Keys are relative to the prefix. */
export interface Page {
  readonly objects: readonly { readonly key: string; readonly size: number }[];
  /** `undefined` for the last page. */
  readonly next: PageStart | undefined;
}

/**
 * Where the next page begins, or `undefined` after the last one. Throws if the listing does not
 * progress, because without the rest of it, blobs would look lost.
 */
export function nextStart(
  { Contents, IsTruncated, NextContinuationToken }: ListObjectsV2Output,
  start: PageStart,
  place: string,
): PageStart | undefined {
  if (IsTruncated !== true) return undefined;
  const after = Contents?.at(-1)?.Key;
  // A token could become invalid when the object that it refers to is removed. Only a page without
  // objects needs one: S3 allows such pages before the last.
  const token = after === undefined ? NextContinuationToken : undefined;
  const isSame = after === start.StartAfter && token === start.ContinuationToken;
  if (isSame || (after ?? token) === undefined) {
    throw new Error(`The listing of ${place} is incomplete, and the store does not continue it.`);
  }
  return { StartAfter: after, ContinuationToken: token };
}
