import { getBucketLifecycle as action } from '../../actions/get-bucket-lifecycle.js';
import { operation } from '../../http/operation.js';
import { writeLifecycleRule } from '../lifecycle-rules.js';
import { json } from '../render.js';

export const getBucketLifecycle = operation(action, {
  route: { method: 'GET', query: ['lifecycle'] },
  input: {},
  respond: ({ rule }) => json(200, { rule: rule.map(writeLifecycleRule) }),
});
