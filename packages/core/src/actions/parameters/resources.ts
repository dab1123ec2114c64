import type { Grant } from '../../engine/records/acls.js';
import { StorageError } from '../../errors.js';
import { quoted } from '../../quoted.js';

/** Throws InvalidArgument when a grant or rule is about another bucket: it would have no effect. */
export function requireOwnResources(paths: readonly string[], bucket: string): void {
  const foreign = paths.find((path) => !path.startsWith(`${bucket}/`));
  if (foreign === undefined) return;
  const message = `The resource ${quoted(foreign)} must begin with ${bucket}/.`;
  throw new StorageError('InvalidArgument', message);
}

/** The same for the resources of grants. */
export const requireOwnGrants = (grants: readonly Grant[], bucket: string): void =>
  requireOwnResources(
    grants.flatMap(({ resource = [], notResource = [] }) => [...resource, ...notResource]),
    bucket,
  );
