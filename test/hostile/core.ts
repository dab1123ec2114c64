/** The parsers of the core. They are no part of its interface, so they are taken from its build. */
const CORE = import.meta.resolve('@bucketware/core');
const load = (path: string) => import(new URL(path, CORE).href);

type Built = {
  table: typeof import('../../packages/core/dist/operations/index.js');
  range: typeof import('../../packages/core/dist/http/range.js');
  dates: typeof import('../../packages/core/dist/http/dates.js');
  query: typeof import('../../packages/core/dist/http/query.js');
  target: typeof import('../../packages/core/dist/http/target.js');
  headers: typeof import('../../packages/core/dist/http/headers.js');
  conditions: typeof import('../../packages/core/dist/http/conditions.js');
  jsonBody: typeof import('../../packages/core/dist/http/json-body.js');
  body: typeof import('../../packages/core/dist/http/body.js');
  acl: typeof import('../../packages/core/dist/engine/access/acl.js');
  cors: typeof import('../../packages/core/dist/engine/buckets/cors.js');
  lifecycle: typeof import('../../packages/core/dist/engine/lifecycle/rules.js');
  manifest: typeof import('../../packages/core/dist/engine/records/manifest.js');
  keys: typeof import('../../packages/core/dist/engine/records/keys.js');
  listing: typeof import('../../packages/core/dist/engine/listing.js');
};

export const core: Built = {
  table: await load('./operations/index.js'),
  range: await load('./http/range.js'),
  dates: await load('./http/dates.js'),
  query: await load('./http/query.js'),
  target: await load('./http/target.js'),
  headers: await load('./http/headers.js'),
  conditions: await load('./http/conditions.js'),
  jsonBody: await load('./http/json-body.js'),
  body: await load('./http/body.js'),
  acl: await load('./engine/access/acl.js'),
  cors: await load('./engine/buckets/cors.js'),
  lifecycle: await load('./engine/lifecycle/rules.js'),
  manifest: await load('./engine/records/manifest.js'),
  keys: await load('./engine/records/keys.js'),
  listing: await load('./engine/listing.js'),
};

/** A body without digests that may take its time. */
export const jsonTerms = {
  announced: undefined,
  headers: new core.headers.RequestHeaders([]),
  stallTimeout: undefined,
  jsonTimeout: undefined,
  memory: { most: Number.POSITIVE_INFINITY, held: 0, callers: new Map() },
  caller: '',
};

/** Every operation of the service. */
export const operations = Object.values(core.table.operations) as readonly {
  readonly name: string;
  readonly input: Readonly<Record<string, Field>>;
}[];

/** One input of an operation, as both doors read it. */
export interface Field {
  readonly names: { readonly headers?: readonly string[] };
  read(source: { query: object; headers: object; json?: unknown }): unknown;
  accept(given: unknown): unknown;
}
