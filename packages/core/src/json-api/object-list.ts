import { isListed, type Listed, refuseConditions } from '../actions/delete-multiple-objects.js';

/** Members with which clients of other services require that the object is unchanged. */
const CONDITIONS = ['etag', 'size', 'lastmodified', 'lastmodifiedtime'];

/**
 * `[{"key"}]`. Other members are ignored, unless they are conditions. The action rejects anything
 * that is not such a list.
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
