import { actions, empty, operation } from '@bucketware/core/dialect';
import { inBody } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { lifecycleRulesOf, shownLifecycleRules } from '../settings/lifecycle.js';
import {
  type LifecycleConfiguration,
  lifecycleConfiguration,
} from '../xml/documents/lifecycle-configuration.js';

export const putBucketLifecycle = operation(actions.putBucketLifecycle, {
  route: { method: 'PUT', query: ['lifecycle'] },
  body: xmlBody(lifecycleConfiguration),
  input: {
    rule: inBody('Rule', (body: LifecycleConfiguration, { bucket }) =>
      lifecycleRulesOf(body, bucket),
    ),
  },
  respond: () => empty(200),
});

export const getBucketLifecycle = operation(actions.getBucketLifecycle, {
  route: { method: 'GET', query: ['lifecycle'] },
  input: {},
  respond: ({ rule }, { bucketName }) =>
    xml(200, 'LifecycleConfiguration', shownLifecycleRules(rule, bucketName)),
});

export const deleteBucketLifecycle = operation(actions.deleteBucketLifecycle, {
  route: { method: 'DELETE', query: ['lifecycle'] },
  input: {},
  respond: () => empty(204),
});
