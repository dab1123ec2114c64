import { deleteBucketCors as action } from '../../actions/delete-bucket-cors.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';

export const deleteBucketCors = operation(action, {
  route: { method: 'DELETE', query: ['cors'] },
  input: {},
  respond: () => empty(204),
});
