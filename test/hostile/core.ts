/**
 * The parsers of the core. They are not part of its interface, so they are imported from its build.
 */
const CORE = import.meta.resolve('@bucketware/core');
const load = (path: string) => import(new URL(path, CORE).href);

type Built = {
  table: typeof import('../../packages/core/dist/json-api/operations/index.js');
  range: typeof import('../../packages/core/dist/actions/parameters/range.js');
  dates: typeof import('../../packages/core/dist/http/dates.js');
  query: typeof import('../../packages/core/dist/http/query.js');
  target: typeof import('../../packages/core/dist/http/target.js');
  headers: typeof import('../../packages/core/dist/http/headers.js');
  conditions: typeof import('../../packages/core/dist/actions/parameters/conditions.js');
  jsonBody: typeof import('../../packages/core/dist/json-api/json-body.js');
  body: typeof import('../../packages/core/dist/http/body.js');
  prefix: typeof import('../../packages/core/dist/json-api/header-prefix.js');
  rules: typeof import('../../packages/core/dist/actions/parameters/lifecycle-rules.js');
  jsonRules: typeof import('../../packages/core/dist/json-api/lifecycle-rules.js');
  jsonApi: typeof import('../../packages/core/dist/json-api/json-api.js');
  acl: typeof import('../../packages/core/dist/engine/access/acl.js');
  cors: typeof import('../../packages/core/dist/engine/buckets/cors.js');
  crossSite: typeof import('../../packages/core/dist/http/cross-site.js');
  formFields: typeof import('../../packages/core/dist/http/form-fields.js');
  lifecycle: typeof import('../../packages/core/dist/engine/lifecycle/rules.js');
  manifest: typeof import('../../packages/core/dist/engine/records/manifest.js');
  keys: typeof import('../../packages/core/dist/engine/records/keys.js');
  listing: typeof import('../../packages/core/dist/engine/listing.js');
  memory: typeof import('../../packages/core/dist/engine/concurrency/memory-share.js');
  wildcard: typeof import('../../packages/core/dist/engine/wildcard.js');
};

export const core: Built = {
  table: await load('./json-api/operations/index.js'),
  range: await load('./actions/parameters/range.js'),
  dates: await load('./http/dates.js'),
  query: await load('./http/query.js'),
  target: await load('./http/target.js'),
  headers: await load('./http/headers.js'),
  conditions: await load('./actions/parameters/conditions.js'),
  jsonBody: await load('./json-api/json-body.js'),
  body: await load('./http/body.js'),
  prefix: await load('./json-api/header-prefix.js'),
  rules: await load('./actions/parameters/lifecycle-rules.js'),
  jsonRules: await load('./json-api/lifecycle-rules.js'),
  jsonApi: await load('./json-api/json-api.js'),
  acl: await load('./engine/access/acl.js'),
  cors: await load('./engine/buckets/cors.js'),
  crossSite: await load('./http/cross-site.js'),
  formFields: await load('./http/form-fields.js'),
  lifecycle: await load('./engine/lifecycle/rules.js'),
  manifest: await load('./engine/records/manifest.js'),
  keys: await load('./engine/records/keys.js'),
  listing: await load('./engine/listing.js'),
  memory: await load('./engine/concurrency/memory-share.js'),
  wildcard: await load('./engine/wildcard.js'),
};

/** Accepts a body without digests, however slowly it arrives. */
export const jsonTerms = {
  announced: undefined,
  headers: new core.headers.RequestHeaders([], core.prefix.prefixesFor()),
  times: { stall: undefined },
  memory: new core.memory.MemoryShare(
    { most: Number.POSITIVE_INFINITY, held: 0, callers: new Map() },
    '',
  ),
};

/** The headers of a request, as the interface reads them. */
export const headersOf = (raw: readonly string[], prefix?: string) =>
  new core.headers.RequestHeaders(raw, core.prefix.prefixesFor(prefix));

const dialect = core.jsonApi.jsonApi();
type PlaceRequest = Parameters<typeof core.target.findPlace>[0];

/** The resource of a request. */
export const findPlace = (
  request: PlaceRequest,
  raw: readonly string[],
  options: Parameters<typeof core.target.findPlace>[2] = {},
) => core.target.findPlace(request, headersOf(raw), options, dialect);

/** An input of an operation, with its reader and the action's parameter. */
export interface Field {
  readonly names: { readonly headers?: readonly string[] };
  /** Reads the input as a client sends it. */
  read(source: { query: object; headers: object; body?: unknown }): unknown;
  /** Reads the input as a client sends it in a JSON body. */
  readJson(given: unknown): unknown;
  /** Accepts the input as a program passes it. */
  accept(given: unknown): unknown;
}

/** A query without parameters, or a request without headers. */
export const ABSENT = { get: () => undefined, has: () => false, names: () => [] };

/** Every operation of the interface. */
export const operations = core.table.operations.map(({ action, reads, loginInBody: isForm }) => {
  const input: Record<string, Field> = {};
  for (const [name, reader] of Object.entries(reads)) {
    const parameter = action.parameters[name];
    const accept = (given: unknown) => parameter?.accept(given, name) ?? given;
    const read: Field['read'] = (source) => {
      const body = isForm ? new Map(Object.entries(source.body ?? {})) : source.body;
      const given = reader.read({ ...source, body } as never);
      return parameter?.accept(given, reader.label, reader.malformed) ?? given;
    };
    const readJson = (given: unknown) =>
      read({ query: ABSENT, headers: ABSENT, body: { [reader.label]: given } });
    input[name] = { names: reader, read, readJson, accept };
  }
  const name: string = isForm ? 'PostObject' : action.name;
  return { name, input: input as Readonly<Record<string, Field>> };
});
