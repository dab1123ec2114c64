import { Readable } from 'node:stream';
import type { Handler, ObjectStorage, ObservedRequest, StorageResponse } from '@bucketware/core';
import { openApi } from '@bucketware/core/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Header {
  readonly schema: object;
  readonly required: boolean;
}
interface Described {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

const REQUEST_ID = 'x-svc-request-id';

/** A storage whose responses are compared with their description. */
export interface Checked {
  readonly storage: ObjectStorage;
  /** The differences, without duplicates. */
  readonly faults: ReadonlySet<string>;
  /** The operations and statuses that were compared. */
  readonly seen: ReadonlySet<string>;
}

/** Compares each response of the JSON interface with the OpenAPI document. */
export function checked(storage: ObjectStorage): Checked {
  const describe = descriptions();
  const faults = new Set<string>();
  const seen = new Set<string>();
  const waiting = new Map<string, StorageResponse>();
  storage.observe((request) => {
    const response = waiting.get(request.requestId);
    waiting.delete(request.requestId);
    if (response === undefined || request.operation === undefined) return;
    const name = nameOf(request);
    seen.add(`${name} ${response.status}`);
    const check = describe(name, response.status);
    for (const fault of check(request, response))
      faults.add(`${name} ${response.status}: ${fault}`);
  });
  const handler = (options?: Parameters<ObjectStorage['handler']>[0]): Handler => {
    const handle = storage.handler(options);
    const answer: typeof handle = Object.assign(
      async (request: Parameters<Handler>[0]) => {
        const response = await handle(request);
        const id = response?.headers[REQUEST_ID];
        if (response !== undefined && id !== undefined) waiting.set(id, response);
        return response;
      },
      { presign: handle.presign },
    );
    return answer;
  };
  return { storage: { ...storage, handler }, faults, seen };
}

/** A form calls the action of another operation. */
const nameOf = ({ operation, method }: ObservedRequest): string =>
  operation === 'PutObject' && method === 'POST' ? 'PutObjectForm' : (operation as string);

type Check = (request: ObservedRequest, response: StorageResponse) => string[];

function descriptions(): (operation: string, status: number) => Check {
  const document = strict(openApi()) as ReturnType<typeof openApi>;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', ...document });
  const compiled = new Map<object, ValidateFunction>();
  const validator = (schema: object): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    const made = ajv.compile(rooted);
    compiled.set(schema, made);
    return made;
  };
  const problems = (schema: object, value: unknown, where: string): string[] => {
    const validate = validator(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${where}${error.instancePath} ${error.message}`);
  };
  const operations = new Map(
    Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((one) => [one.operationId, one.responses] as const),
    ),
  );
  const failure = (document.components.responses as { Error: Described }).Error;

  return (operation, status) => (request, response) => {
    const responses = operations.get(operation) as Record<string, Described> | undefined;
    if (responses === undefined) return ['is not described'];
    const isFailure = status >= 400;
    const described = responses[status] ?? (isFailure ? failure : undefined);
    if (described === undefined) return ['has no such status'];
    return [
      ...headerFaults(described, response, problems),
      ...bodyFaults(described, request, response, problems),
    ];
  };
}

type Problems = (schema: object, value: unknown, where: string) => string[];

/** Headers that any response may have. */
const GENERAL =
  /^(x-svc-meta-|x-content-|x-frame-|cross-origin-|content-(length|security|type)|access-control-|vary$|cache-control$|accept-ranges$|retry-after$|connection$|etag$|last-modified$|content-range$|allow$|location$)/;

function headerFaults({ headers = {} }: Described, response: StorageResponse, problems: Problems) {
  const faults: string[] = [];
  for (const [name, { schema, required }] of Object.entries(headers)) {
    const value = response.headers[name];
    if (value === undefined && required) faults.push(`lacks the header ${name}`);
    if (value === undefined) continue;
    const isNumber = (schema as { type?: string }).type === 'integer';
    faults.push(...problems(schema, isNumber ? Number(value) : value, name));
  }
  const isFailure = response.status >= 400;
  for (const name of Object.keys(response.headers)) {
    if (name in headers || GENERAL.test(name)) continue;
    if (!isFailure || name !== 'x-svc-next-append-offset') faults.push(`has the header ${name}`);
  }
  return faults;
}

function bodyFaults(
  { content = {} }: Described,
  { method }: ObservedRequest,
  { body }: StorageResponse,
  problems: Problems,
): string[] {
  // Large lists are streamed as well.
  if (body instanceof Readable) return Object.keys(content).length > 0 ? [] : ['streams a body'];
  const text = Buffer.from(body as Uint8Array).toString();
  if ('*/*' in content || method === 'HEAD') return [];
  const schema = content['application/json']?.schema;
  if (schema === undefined) return text === '' ? [] : ['has a body'];
  // DeleteMultipleObjects has no body if all objects were deleted.
  return text === '' ? [] : problems(schema, JSON.parse(text), 'body');
}

/** Adds that no object may have undescribed members. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, strict(v)]));
  return 'properties' in members && members.type === 'object'
    ? { ...members, additionalProperties: false }
    : members;
}
