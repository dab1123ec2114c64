import { isListed, type Listed, refuseConditions } from '../actions/delete-multiple-objects.js';

/** By these, other services ask that the object still be the one that is described. */
const CONDITIONS = ['etag', 'size', 'lastmodified', 'lastmodifiedtime'];

/**
 * `[{"key"}]`. Other members are ignored, unless they are conditions. What is no such list is refused by
 * the action.
 */
export function readObjectList(json: unknown): readonly Listed[] {
  if (!Array.isArray(json)) return json as never;
  return json.map((object: unknown) => {
    if (!isListed(object)) return object as never;
    refuseConditions(object, CONDITIONS);
    const { key, versionId } = object;
    return { key, versionId };
  });
}
