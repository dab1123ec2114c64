import { actions, empty, operation } from '@bucketware/core/dialect';
import { inBody, versionId } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { shownTagSet, tagsInBody } from '../settings/tags.js';
import { tagging } from '../xml/documents/tagging.js';

const query = ['tagging'];
const body = xmlBody(tagging);
const input = { tags: inBody('Tag', tagsInBody) };

export const putObjectTagging = operation(actions.putObjectTagging, {
  route: { method: 'PUT', query },
  ...{ body, input },
  responseInput: versionId,
  respond: () => empty(200),
});

export const getObjectTagging = operation(actions.getObjectTagging, {
  route: { method: 'GET', query },
  input: {},
  responseInput: versionId,
  respond: ({ tags }) => xml(200, 'Tagging', shownTagSet(tags)),
});

export const deleteObjectTagging = operation(actions.deleteObjectTagging, {
  route: { method: 'DELETE', query },
  input: {},
  responseInput: versionId,
  respond: () => empty(204),
});

export const putBucketTagging = operation(actions.putBucketTagging, {
  route: { method: 'PUT', query },
  ...{ body, input },
  respond: () => empty(204),
});

export const getBucketTagging = operation(actions.getBucketTagging, {
  route: { method: 'GET', query },
  input: {},
  respond: ({ tags }) => xml(200, 'Tagging', shownTagSet(tags)),
});

export const deleteBucketTagging = operation(actions.deleteBucketTagging, {
  route: { method: 'DELETE', query },
  input: {},
  respond: () => empty(204),
});
