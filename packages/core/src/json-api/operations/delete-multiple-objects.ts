import { deleteMultipleObjects as action } from '../../actions/delete-multiple-objects.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { MAX_DELETE_BODY_BYTES, MAX_DELETE_OBJECTS } from '../../limits.js';
import { jsonBody, member } from '../json-body.js';
import { readObjectList } from '../object-list.js';
import { json } from '../render.js';

/** The maximum length of a failure without its key. */
const FAILURE_BYTES = 200;

export const deleteMultipleObjects = operation(action, {
  route: { method: 'POST', query: ['delete'] },
  // Twenty for each object: three are needed, and unknown fields add more.
  body: jsonBody({
    maxBytes: MAX_DELETE_BODY_BYTES,
    maxStructural: 20 * MAX_DELETE_OBJECTS,
    tooLarge: 'MaxMessageLengthExceeded',
  }),
  // `quiet` requests a response with only the errors, which is the only kind of response here.
  input: { objects: member('objects', readObjectList, ['quiet']) },
  responseSize: ({ objects }) =>
    Buffer.byteLength(JSON.stringify(objects)) + FAILURE_BYTES * objects.length,
  respond: (result) => (result.errors.length === 0 ? empty(200) : json(200, result)),
});
