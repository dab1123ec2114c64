import type { SubjectKind } from '../actions/action.js';
import type { RequestHeaders } from './headers.js';
import { HttpError } from './http-error.js';
import type { Operation, Route } from './operation.js';
import type { Target } from './target.js';

const SUBJECT: Readonly<Record<SubjectKind, 'service' | 'bucket' | 'object'>> = {
  service: 'service',
  'new bucket': 'bucket',
  bucket: 'bucket',
  object: 'object',
};

const ARTICLE = { service: 'the', bucket: 'a', object: 'an' } as const;

/** Finds the operation of a request. Throws MethodNotAllowed. */
export type Dispatch = (method: string, target: Target, headers: RequestHeaders) => Operation;

/** Builds the dispatcher. Throws when two operations have the same route. */
export function dispatcher(operations: readonly Operation[]): Dispatch {
  refuseTies(operations);
  // Each method and subject has only a few operations, those with the most markers first.
  const candidates = new Map<string, Operation[]>();
  for (const item of operations.toSorted((a, b) => weight(b.route) - weight(a.route))) {
    const place = placeOf(item.route.method, subjectNamedBy(item));
    candidates.set(place, [...(candidates.get(place) ?? []), item]);
  }
  const methods = new Set(operations.map(({ route }) => route.method));

  return (method, target, headers) => {
    const subject = subjectOf(target);
    const find = (wanted: string) =>
      candidates
        .get(placeOf(wanted, subject))
        ?.find(({ route }) => matches(route, target, headers));
    const found = find(method);
    if (found !== undefined) return found;
    const allow = [...methods].filter((other) => find(other) !== undefined).join(', ');
    const message = `The method ${method} is not allowed for ${ARTICLE[subject]} ${subject}.`;
    // RFC 9110 section 15.5.6.
    throw new HttpError('MethodNotAllowed', message, { headers: { allow } });
  };
}

/** Whether the URL names the service, a bucket or an object. */
const subjectNamedBy = ({ action, route }: Operation) =>
  route.on ?? SUBJECT[action.on as SubjectKind];

const placeOf = (method: string, subject: string): string => `${method} ${subject}`;

const FORM = /^multipart\/form-data\b/i;

function matches(route: Route, target: Target, sent: RequestHeaders): boolean {
  const { query, headers, form = false } = route;
  return (
    (!form || FORM.test(sent.get('content-type') ?? '')) &&
    (query === undefined || query.every((name) => target.query.has(name))) &&
    (headers === undefined || headers.every((name) => sent.has(name)))
  );
}

const subjectOf = ({ bucket, key }: Target) =>
  key !== undefined ? 'object' : bucket !== undefined ? 'bucket' : 'service';

const weight = ({ query = [], headers = [] }: Route): number => query.length + headers.length;

function refuseTies(operations: readonly Operation[]): void {
  const seen = new Map<string, string>();
  for (const item of operations) {
    const { action, route } = item;
    const { method, query = [], headers = [] } = route;
    const subject = subjectNamedBy(item);
    const wire = JSON.stringify([method, subject, query.toSorted(), headers.toSorted()]);
    const other = seen.get(wire);
    if (other !== undefined) throw new Error(`${action.name} and ${other} have the same route.`);
    seen.set(wire, action.name);
  }
}
