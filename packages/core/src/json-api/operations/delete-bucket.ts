import { deleteBucket as action } from '../../actions/delete-bucket.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';

export const deleteBucket = operation(action, {
  route: { method: 'DELETE' },
  input: {},
  respond: () => empty(204),
});
