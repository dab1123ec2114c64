import { actions, empty, operation } from '@bucketware/core/dialect';
import { inBody } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import {
  publicAccessBlock as document,
  type PublicAccessBlock,
} from '../xml/documents/public-access-block.js';

const query = ['publicAccessBlock'];

export const putPublicAccessBlock = operation(actions.putPublicAccessBlock, {
  route: { method: 'PUT', query },
  body: xmlBody(document),
  input: {
    publicAccessBlock: inBody('PublicAccessBlockConfiguration', (body: PublicAccessBlock) => ({
      blockPublicAcls: body.BlockPublicAcls ?? false,
      ignorePublicAcls: body.IgnorePublicAcls ?? false,
      blockPublicPolicy: body.BlockPublicPolicy ?? false,
      restrictPublicBuckets: body.RestrictPublicBuckets ?? false,
    })),
  },
  respond: () => empty(200),
});

export const getPublicAccessBlock = operation(actions.getPublicAccessBlock, {
  route: { method: 'GET', query },
  input: {},
  respond: ({ publicAccessBlock: found }) =>
    xml(200, 'PublicAccessBlockConfiguration', {
      BlockPublicAcls: found.blockPublicAcls,
      IgnorePublicAcls: found.ignorePublicAcls,
      BlockPublicPolicy: found.blockPublicPolicy,
      RestrictPublicBuckets: found.restrictPublicBuckets,
    }),
});

export const deletePublicAccessBlock = operation(actions.deletePublicAccessBlock, {
  route: { method: 'DELETE', query },
  input: {},
  respond: () => empty(204),
});

export const getBucketPolicyStatus = operation(actions.getBucketPolicyStatus, {
  route: { method: 'GET', query: ['policyStatus'] },
  input: {},
  respond: ({ isPublic }) => xml(200, 'PolicyStatus', { IsPublic: isPublic }),
});
