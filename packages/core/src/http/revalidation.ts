import { type ReadConditions, seconds, unchangedObject } from '../actions/parameters/conditions.js';
import { isRunnable } from './content-headers.js';

/*
 * The ETag depends on the data only, as the interface requires. A browser that gets a 304 also keeps
 * the type, the encoding and the metadata of its copy.
 */

/** The facts that decide whether a copy with the same ETag is good enough. */
export interface Revalidation {
  /** Whether the request may come from a browser. */
  readonly fromBrowser: boolean;
  /** See `Exposure`. */
  readonly trusted: boolean;
  readonly usable: boolean;
}

/** The conditions that a 304 depends on. */
const CONDITIONS = { ifNoneMatch: undefined, ifModifiedSince: undefined };

/**
 * The input of a read without the conditions that made it fail with NotModified, if a browser must
 * not keep its copy: its headers may be others, or it may be a script that the page must get as text.
 *
 * Browsers send both the ETag and the date of their copy, but only the ETag if a header that `Vary`
 * names has changed, such as the cookies. Scripts in pages may send only the ETag, too. For all
 * other clients, the ETag takes precedence (RFC 9110 section 13.2.2).
 */
export function unconditional<Input extends object>(
  error: unknown,
  input: Input,
  { fromBrowser, trusted, usable }: Revalidation,
): Input | undefined {
  const object = unchangedObject(error);
  if (object === undefined || !fromBrowser) return undefined;
  const { ifNoneMatch, ifModifiedSince: since } = input as ReadConditions;
  // A renamed object keeps its date, which may be before that of the object it replaced.
  const isSame = since !== undefined && seconds(object.lastModified) === seconds(+since);
  const isOther = ifNoneMatch !== undefined && !isSame;
  const hasOtherType = !trusted && usable && object.headers.some(isRunnable);
  return isOther || hasOtherType ? { ...input, ...CONDITIONS } : undefined;
}
