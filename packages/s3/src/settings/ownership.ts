import { invalid, unsupported } from '../errors.js';
import { amz } from '../readers.js';
import { OWNERSHIPS } from '../xml/documents/ownership-controls.js';

/**
 * The owner of a bucket always owns its objects. The setting only determines whether access control
 * lists have an effect.
 */
export function ownershipOf(name: string): 'BucketOwnerEnforced' {
  if (name === 'BucketOwnerEnforced') return name;
  if (!OWNERSHIPS.some((known) => known === name)) throw invalid('Invalid x-amz-object-ownership.');
  throw unsupported(
    'The owner of a bucket owns its objects. Only BucketOwnerEnforced is supported.',
  );
}

export const ownershipHeader = { objectOwnership: amz('x-amz-object-ownership', ownershipOf) };
