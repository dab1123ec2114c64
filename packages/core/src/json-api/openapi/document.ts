import { HEADER_PREFIX } from '../../http/headers.js';
import type { Operation, Route } from '../../http/operation.js';
import { checkOptions, type KnownOptions, kinds } from '../../options.js';
import { PREFIX } from '../header-prefix.js';
import { operations } from '../operations/index.js';
import { responseHeaders } from './headers.js';
import { type ParameterObject, parametersOf } from './parameters.js';
import { type Answer, answers, bodies, summaries } from './responses.js';
import { ref, type Schema, schemas, text } from './schemas.js';

/** The options of {@link openApi}. */
export interface OpenApiOptions {
  /** The URL where the storage is mounted, as clients see it. Default `/`. */
  readonly url?: string | undefined;
  /** The title of the document. Default `Object storage`. */
  readonly title?: string | undefined;
  /** The prefix of the interface's own headers. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
}

const OPTIONS: KnownOptions<OpenApiOptions> = {
  url: kinds.text,
  title: kinds.text,
  headerPrefix: HEADER_PREFIX,
};

/** A description of the interface in OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Schema;
  readonly servers: readonly Schema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Schema>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Schema>>;
  readonly [member: string]: unknown;
}

const DESCRIPTION =
  `The HTTP interface of the storage. Several operations have the same method and path, and differ in query
parameters or headers. OpenAPI knows only paths, so these differences are part of the path here: \`/{bucket}?acl\` is sent as it is
written, and the text after a \`#\` is the name of the header that identifies the operation. Headers that start with
\`${PREFIX}meta-\` are stored as metadata of the object and returned with it.`.replaceAll(
    '\n',
    ' ',
  );

/**
 * Describes the JSON interface in OpenAPI 3.1, generated from the same definitions that handle
 * requests. Throws a TypeError for an invalid option.
 *
 * ```ts
 * app.get('/openapi.json', (_, res) => res.json(openApi({ url: '/storage' })));
 * ```
 */
export function openApi(options: OpenApiOptions = {}): OpenApiDocument {
  checkOptions('openApi()', options, OPTIONS);
  const { url = '/', title = 'Object storage', headerPrefix = PREFIX } = options;
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const one of operations) {
    const path = pathOf(one);
    paths[path] = { ...paths[path], [one.route.method.toLowerCase()]: describe(one) };
  }
  const components = { schemas, responses: { Error: failure } };
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title, version: '1', description: DESCRIPTION },
    servers: [{ url }],
    paths,
    components,
  };
  if (headerPrefix === PREFIX) return document;
  return JSON.parse(JSON.stringify(document).replaceAll(PREFIX, headerPrefix));
}

const BASES = { service: '/', bucket: '/{bucket}', object: '/{bucket}/{key}' } as const;

function subjectOf({ action, route }: Operation): keyof typeof BASES {
  const on = route.on ?? action.on;
  return on === 'new bucket' ? 'bucket' : (on as keyof typeof BASES);
}

/** The path, and whatever else distinguishes operations with the same method. */
function pathOf(operation: Operation): string {
  const { query = [], headers = [] } = operation.route;
  const valued = new Set(Object.values(operation.reads).flatMap((reader) => reader.query ?? []));
  const markers = query.map((name) => (valued.has(name) ? `${name}={${name}}` : name));
  const search = markers.length === 0 ? '' : `?${markers.join('&')}`;
  const fragment = headers.length === 0 ? '' : `#${headers.join(',')}`;
  return BASES[subjectOf(operation)] + search + fragment;
}

/** The name of an operation. One action may have two operations. */
const nameOf = ({ action, route }: { action: { name: string }; route: Route }): string =>
  route.form === true ? `${action.name}Form` : action.name;

function describe(operation: Operation): OpenApiOperation {
  const { permission } = operation.action;
  const name = nameOf(operation);
  const needs = { each: 'WRITE on each object', NONE: 'none' }[permission as string] ?? permission;
  const body = bodyOf(operation);
  return {
    operationId: name,
    summary: summaries[name],
    description: `Permission: ${needs}.`,
    tags: [subjectOf(operation)],
    parameters: [...subjectParameters(operation), ...parametersOf(operation)],
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries((answers[name] ?? []).map((one) => [one.status, responseOf(one)])),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function subjectParameters(operation: Operation): readonly ParameterObject[] {
  const subject = subjectOf(operation);
  const path = (name: string, description: string): ParameterObject => ({
    name,
    in: 'path',
    description,
    required: true,
    schema: text,
  });
  const bucket = path(
    'bucket',
    'The name of the bucket: 3 to 63 characters of `a-z`, `0-9` and `-`.',
  );
  const key = path('key', 'The key of the object. Slashes need not be encoded.');
  return { service: [], bucket: [bucket], object: [bucket, key] }[subject];
}

function bodyOf({ action, route, body }: Operation): Schema | undefined {
  if (route.form) return content('multipart/form-data', ref('Form'), true);
  if (body !== undefined) {
    return content('application/json', bodies[action.name] as Schema, !body.optional);
  }
  return action.takes === 'bytes' ? content('application/octet-stream', {}, true) : undefined;
}

const content = (type: string, schema: Schema, required: boolean): Schema => ({
  required,
  content: { [type]: { schema } },
});

function responseOf({ description, headers = [], body }: Answer): Schema {
  const named = [`${PREFIX}request-id`, ...headers];
  return {
    description,
    headers: Object.fromEntries(named.map((name) => headerOf(name))),
    ...(body === 'bytes' && { content: { '*/*': { schema: {} } } }),
    ...(typeof body === 'object' && { content: { 'application/json': { schema: body } } }),
  };
}

/**
 * A header in full, not as a reference: whether it is always present differs between operations.
 */
function headerOf(name: string): [string, Schema] {
  const plain = name.replace('?', '');
  return [plain, { ...responseHeaders[plain], required: plain === name }];
}

const failure: Schema = {
  description: 'The request failed. The response to a HEAD request has no body.',
  headers: Object.fromEntries([headerOf(`${PREFIX}request-id`)]),
  content: { 'application/json': { schema: ref('Error') } },
};
