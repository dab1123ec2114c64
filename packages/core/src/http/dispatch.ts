import { StorageError } from '../errors.js';
import { allowLists } from './allow-list.js';
import type { RequestHeaders } from './headers.js';
import type { AnyOperation, Route, Subject } from './operation.js';
import type { Target } from './target.js';

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
  const refusals = allowLists(operations);
  const byWeight = operations.toSorted((a, b) => weight(b.route) - weight(a.route));
  const methods = new Set(operations.map(({ route }) => route.method));

  return (method, target, headers) => {
    const subject = subjectOf(target);
    const find = (wanted: string) =>
      byWeight.find(({ route }) => matches(route, wanted, subject, target, headers));
    const found = find(method);
    if (found === undefined) {
      const allow = [...methods].filter((other) => find(other) !== undefined).join(', ');
      const message = `${method} is not valid for ${ARTICLE[subject]} ${subject}.`;
      // RFC 9110 section 15.5.6.
      throw new StorageError('MethodNotAllowed', message, { headers: { allow } });
    }
    refusals.get(found)?.(target.query, headers);
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
