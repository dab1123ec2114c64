import type { Action, AnyAction, BodyKind, SubjectKind } from '../actions/action.js';
import type { GivenOf, InputOf, Parameter, Parameters } from '../actions/parameters/parameter.js';
import type { Principal } from '../contracts/principal.js';
import type { Body } from '../engine/content/receive.js';
import type { StorageError } from '../errors.js';
import type { StorageResponse } from './message.js';
import type { InputSource, Reader, Readers } from './readers.js';
import type { StructuredBody } from './structured-body.js';

/** What a request must look like. If several routes match, the one with the most markers wins. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS';
  /** Query parameters that must be present. */
  readonly query?: readonly string[];
  /** Headers that must be present. */
  readonly headers?: readonly string[];
  /** Whether the body must be a form (multipart/form-data). */
  readonly form?: boolean;
  /** What the URL names, if it is not the subject of the action. */
  readonly on?: 'bucket';
}

/** What a response is built from, in addition to the result. */
export interface Answered<Input, Extra = unknown> {
  readonly bucketName: string;
  readonly key: string;
  readonly input: Input;
  readonly responseInput: Extra;
  readonly body: Body;
  readonly principal: Principal | undefined;
  /** The owner of the bucket; `undefined` if there was no such bucket. */
  readonly owner: Principal | undefined;
  /** The URL of the bucket or object as clients see it. */
  url(): string;
}

type ReadersOf<P extends Parameters> = { readonly [K in keyof P]: Reader<GivenOf<P[K]>> };
type ValuesOf<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]['read']> };

/** How a dialect maps an action: the request, then the response. */
interface Definition<P extends Parameters, R, Extra extends Readers> {
  readonly route: Route;
  /** Headers that clients send with the operation and that have no meaning here. */
  readonly ignores?: readonly string[];
  /** A body that is read before the action runs. */
  readonly body?: StructuredBody;
  /**
   * Whether the response contains a user's data, which a browser must not treat as a page of the
   * app.
   */
  readonly servesContent?: boolean;
  /** Whether it may take long: then the response is started early, and spaces keep it alive. */
  readonly slow?: boolean;
  /**
   * Whether the body identifies the caller, so that a page of another site cannot use its visitor's
   * login.
   */
  readonly loginInBody?: boolean;
  readonly input: ReadersOf<P>;
  /** Reads whatever only the response depends on. */
  readonly responseInput?: Extra;
  /**
   * The maximum size of a response that depends on the input, in bytes. Their memory is reserved
   * before a change, because its response is always sent.
   */
  responseSize?(input: InputOf<P>): number;
  /** Throws when the parameters contradict each other. */
  check?(input: InputOf<P>): void;
  respond(result: R, answered: Answered<InputOf<P>, ValuesOf<Extra>>): StorageResponse;
  /**
   * Returns a response for a failure that is not an error in this dialect, or throws another error
   * instead. If the method is absent, the failure is sent unchanged.
   */
  recover?(
    error: StorageError,
    answered: Answered<InputOf<P>, ValuesOf<Extra>>,
  ): StorageResponse | undefined;
}

/** An operation of a dialect. */
export interface Operation {
  readonly action: AnyAction;
  readonly route: Route;
  readonly ignores: readonly string[];
  readonly body: StructuredBody | undefined;
  readonly servesContent: boolean;
  readonly slow: boolean;
  readonly loginInBody: boolean;
  readonly responseSize: ((input: never) => number) | undefined;
  /** Everything that the operation reads from a request. */
  readonly reads: Readers;
  /** Reads and checks the parameters. Throws when the action does not accept them. */
  readInput(source: InputSource): Readonly<Record<string, unknown>>;
  readResponseInput(source: InputSource): Readonly<Record<string, unknown>>;
  respond(result: unknown, answered: Answered<unknown>): StorageResponse;
  recover(error: StorageError, answered: Answered<unknown>): StorageResponse | undefined;
}

/** Most requests have no overrides. */
const NOTHING: Readonly<Record<string, unknown>> = {};

export function operation<
  On extends SubjectKind,
  P extends Parameters,
  R,
  Takes extends BodyKind,
  // biome-ignore lint/complexity/noBannedTypes: most responses need no input
  Extra extends Readers = {},
>(action: Action<On, P, R, Takes>, definition: Definition<P, R, Extra>): Operation {
  const { route, ignores = [], body, servesContent = false, slow = false, check } = definition;
  const { loginInBody = false } = definition;
  const fields = Object.entries(definition.input as Readers).map(([name, reader]) =>
    field(name, reader, action.parameters[name] as Parameter<unknown, unknown>),
  );
  const responseInput = Object.entries((definition.responseInput ?? {}) as Readers);
  return {
    action,
    route,
    ignores,
    body,
    servesContent,
    slow,
    loginInBody,
    responseSize: definition.responseSize,
    reads: { ...(definition.input as Readers), ...definition.responseInput },
    readInput(source) {
      const input: Record<string, unknown> = {};
      for (const { name, read } of fields) input[name] = read(source);
      check?.(input as InputOf<P>);
      return input;
    },
    readResponseInput(source) {
      if (responseInput.length === 0) return NOTHING;
      let values: Record<string, unknown> | undefined;
      for (const [name, reader] of responseInput) {
        const value = reader.read(source);
        if (value === undefined) continue;
        values ??= {};
        values[name] = value;
      }
      return values ?? NOTHING;
    },
    respond: definition.respond as Operation['respond'],
    recover: (definition.recover ?? noRecovery) as Operation['recover'],
  };
}

const noRecovery = () => undefined;

function field(name: string, reader: Reader<unknown>, parameter: Parameter<unknown, unknown>) {
  const { label, malformed } = reader;
  return {
    name,
    read: (source: InputSource) => parameter.accept(reader.read(source), label, malformed),
  };
}
