import { deleteBucketLifecycle as action } from '../../actions/delete-bucket-lifecycle.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';

export const deleteBucketLifecycle = operation(action, {
  route: { method: 'DELETE', query: ['lifecycle'] },
  input: {},
  respond: () => empty(204),
});
