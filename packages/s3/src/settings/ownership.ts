import { invalid, notOffered } from '../errors.js';
import { amz } from '../readers.js';
import { OWNERSHIPS } from '../xml/documents/ownership-controls.js';

/** The owner of a bucket owns its objects. What can be chosen is whether lists have an effect. */
export function ownershipOf(name: string): 'BucketOwnerEnforced' {
  if (name === 'BucketOwnerEnforced') return name;
  if (!OWNERSHIPS.some((known) => known === name)) throw invalid('Invalid x-amz-object-ownership.');
  throw notOffered('The owner of a bucket owns its objects. Only BucketOwnerEnforced is offered.');
}

export const ownershipHeader = { objectOwnership: amz('x-amz-object-ownership', ownershipOf) };
