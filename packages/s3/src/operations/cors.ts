import { actions, empty, operation } from '@bucketware/core/dialect';
import { inBody } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { corsRulesOf, shownCorsRules } from '../settings/cors.js';
import { corsConfiguration } from '../xml/documents/cors-configuration.js';

export const putBucketCors = operation(actions.putBucketCors, {
  route: { method: 'PUT', query: ['cors'] },
  body: xmlBody(corsConfiguration),
  input: { corsConfiguration: inBody('CORSRule', corsRulesOf) },
  respond: () => empty(200),
});

export const getBucketCors = operation(actions.getBucketCors, {
  route: { method: 'GET', query: ['cors'] },
  input: {},
  respond: ({ corsConfiguration: rules }) => xml(200, 'CORSConfiguration', shownCorsRules(rules)),
});

export const deleteBucketCors = operation(actions.deleteBucketCors, {
  route: { method: 'DELETE', query: ['cors'] },
  input: {},
  respond: () => empty(204),
});
