import { StorageError } from '../errors.js';
import type { RequestHeaders } from './headers.js';
import type { AnyOperation, Route, Subject } from './operation.js';
import type { Target } from './target.js';

/**
 * Parameters and headers that change what a request means, and that no operation answers. A request
 * with one must not be taken for something else: `PUT ...?tagging` is not a PutObject.
 */
const UNOFFERED_QUERY = [
  ...[
    'encryption',
    'fetch',
    'logging',
    'notification',
    'quota',
    'replication',
    'restore',
    'select',
  ],
  ...['storageClass', 'symlink', 'tagging', 'trash', 'versionId', 'versioning', 'versions'],
  'website',
];
const UNOFFERED_HEADERS = [
  ...['x-svc-fetch-source', 'x-svc-object-expires', 'x-svc-tagging'],
  ...['x-svc-server-side-encryption', 'x-svc-symlink-target'],
];

const SUBJECT: Readonly<Record<Subject, 'service' | 'bucket' | 'object'>> = {
  service: 'service',
  'new bucket': 'bucket',
  bucket: 'bucket',
  object: 'object',
};

const ARTICLE = { service: 'the', bucket: 'a', object: 'an' } as const;

/** Finds the operation that a request is meant for. */
export type Dispatch = (method: string, target: Target, headers: RequestHeaders) => AnyOperation;

/** Builds the dispatcher, and throws when two operations could not be told apart. */
export function dispatcher(operations: readonly AnyOperation[]): Dispatch {
  refuseTies(operations);
  const ownHeaders = operations.flatMap(({ route }) => route.headers ?? []);
  const known = new Set([...operations.flatMap(({ route }) => route.query ?? []), ...ownHeaders]);
  const markers = new Set([...UNOFFERED_QUERY, ...known]);
  // Other headers are not ours: a proxy may send `location`, which is a marker in a query.
  const headerMarkers = new Set([...UNOFFERED_HEADERS, ...ownHeaders]);
  const byWeight = operations.toSorted((a, b) => weight(b.route) - weight(a.route));

  return (method, target, headers) => {
    const subject = subjectOf(target);
    const found = byWeight.find(({ route }) => matches(route, method, subject, target, headers));
    if (found === undefined) {
      throw new StorageError(
        'MethodNotAllowed',
        `${method} is not valid for ${ARTICLE[subject]} ${subject}.`,
      );
    }
    // A browser asks about a request that is still to come: its url says what that will be.
    if (method === 'OPTIONS') return found;
    const foreign =
      [...target.query.names()].find((name) => markers.has(name) && !uses(found, 'query', name)) ??
      [...headers.names()].find(
        (name) => headerMarkers.has(name) && headers.has(name) && !uses(found, 'headers', name),
      );
    if (foreign !== undefined) {
      const message = `${method} with ${foreign} is not offered for ${ARTICLE[subject]} ${subject}.`;
      throw new StorageError(known.has(foreign) ? 'InvalidArgument' : 'NotImplemented', message);
    }
    return found;
  };
}

function matches(
  route: Route,
  method: string,
  subject: string,
  target: Target,
  headers: RequestHeaders,
): boolean {
  return (
    route.method === method &&
    SUBJECT[route.on] === subject &&
    (route.query ?? []).every((name) => target.query.has(name)) &&
    (route.headers ?? []).every((name) => headers.has(name))
  );
}

const subjectOf = ({ bucket, key }: Target) =>
  key !== undefined ? 'object' : bucket !== undefined ? 'bucket' : 'service';

const weight = ({ query = [], headers = [] }: Route): number => query.length + headers.length;

const uses = ({ route }: AnyOperation, part: 'query' | 'headers', name: string): boolean =>
  (route[part] ?? []).includes(name);

function refuseTies(operations: readonly AnyOperation[]): void {
  const seen = new Map<string, string>();
  for (const { name, route } of operations) {
    const { method, on, query = [], headers = [] }: Route = route;
    const subject = SUBJECT[on];
    const wire = JSON.stringify([method, subject, query.toSorted(), headers.toSorted()]);
    const other = seen.get(wire);
    if (other !== undefined) throw new Error(`${name} and ${other} have the same route.`);
    seen.set(wire, name);
  }
}
