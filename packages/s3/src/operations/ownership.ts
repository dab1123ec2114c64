import { actions, empty, operation } from '@bucketware/core/dialect';
import { inBody } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { ownershipOf } from '../settings/ownership.js';
import {
  ownershipControls as document,
  type OwnershipControls,
} from '../xml/documents/ownership-controls.js';

const query = ['ownershipControls'];

export const putBucketOwnershipControls = operation(actions.putBucketOwnershipControls, {
  route: { method: 'PUT', query },
  body: xmlBody(document),
  input: {
    objectOwnership: inBody('ObjectOwnership', ({ Rule: [rule] }: OwnershipControls) =>
      ownershipOf(rule?.ObjectOwnership ?? ''),
    ),
  },
  respond: () => empty(200),
});

export const getBucketOwnershipControls = operation(actions.getBucketOwnershipControls, {
  route: { method: 'GET', query },
  input: {},
  respond: ({ objectOwnership }) =>
    xml(200, 'OwnershipControls', { Rule: { ObjectOwnership: objectOwnership } }),
});

export const deleteBucketOwnershipControls = operation(actions.deleteBucketOwnershipControls, {
  route: { method: 'DELETE', query },
  input: {},
  respond: () => empty(204),
});
