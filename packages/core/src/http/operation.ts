import type { Action, AnyAction, BodyKind, SubjectKind } from '../actions/action.js';
import type { GivenOf, InputOf, Parameter, Parameters } from '../actions/parameters/parameter.js';
import type { Principal } from '../contracts/principal.js';
import type { Body } from '../engine/content/receive.js';
import type { StorageError } from '../errors.js';
import type { StorageResponse } from './message.js';
import type { InputSource, Reader, Readers } from './readers.js';
import type { StructuredBody } from './structured-body.js';

/** What a request must look like. Of all routes that match, the one with most markers wins. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS';
  /** Query parameters that must be present. */
  readonly query?: readonly string[];
  /** Headers that must be present. */
  readonly headers?: readonly string[];
  /** What the url names, where that is not what the action is about. */
  readonly on?: 'bucket';
}

/** What an answer is made of, besides the result. */
export interface Answered<Input, Asked = unknown> {
  readonly bucketName: string;
  readonly key: string;
  readonly input: Input;
  readonly asked: Asked;
  readonly body: Body;
  readonly principal: Principal | undefined;
  /** Who owns the bucket. Undefined: there was none. */
  readonly owner: Principal | undefined;
  /** The url of the bucket or object as clients see it. */
  url(): string;
}

type ReadersOf<P extends Parameters> = { readonly [K in keyof P]: Reader<GivenOf<P[K]>> };
type ValuesOf<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]['read']> };

/** How an action is spoken in a dialect: first the request, then the answer. */
interface Spoken<P extends Parameters, R, Asked extends Readers> {
  readonly route: Route;
  /** Headers that clients send with it and that say nothing here. */
  readonly ignores?: readonly string[];
  /** A body that is read before the action is run. */
  readonly body?: StructuredBody;
  /** Answers a user's bytes, which a browser must not take for the host's own page. */
  readonly servesContent?: boolean;
  /** May take long after the request has arrived: the answer is then begun early and kept alive. */
  readonly slow?: boolean;
  /** The body says who is calling: a page of another site uses no login of its visitor. */
  readonly loginInBody?: boolean;
  readonly input: ReadersOf<P>;
  /** What only the answer goes by. */
  readonly asked?: Asked;
  /** Throws when what was given does not go together. */
  check?(input: InputOf<P>): void;
  respond(result: R, answered: Answered<InputOf<P>, ValuesOf<Asked>>): StorageResponse;
  /**
   * Answers a failure of the action that is none in this dialect, or throws another one in its place.
   * Undefined: the failure is answered.
   */
  recover?(
    error: StorageError,
    answered: Answered<InputOf<P>, ValuesOf<Asked>>,
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
  /** All that the operation reads of a request. */
  readonly reads: Readers;
  /** Reads and checks the parameters. Throws what the action refuses. */
  readInput(source: InputSource): Readonly<Record<string, unknown>>;
  readAsked(source: InputSource): Readonly<Record<string, unknown>>;
  respond(result: unknown, answered: Answered<unknown>): StorageResponse;
  recover(error: StorageError, answered: Answered<unknown>): StorageResponse | undefined;
}

/** What most requests ask for. */
const NOTHING: Readonly<Record<string, unknown>> = {};

export function operation<
  On extends SubjectKind,
  P extends Parameters,
  R,
  Takes extends BodyKind,
  // biome-ignore lint/complexity/noBannedTypes: nothing is asked by default
  Asked extends Readers = {},
>(action: Action<On, P, R, Takes>, spoken: Spoken<P, R, Asked>): Operation {
  const { route, ignores = [], body, servesContent = false, slow = false, check } = spoken;
  const { loginInBody = false } = spoken;
  const fields = Object.entries(spoken.input as Readers).map(([name, reader]) =>
    field(name, reader, action.parameters[name] as Parameter<unknown, unknown>),
  );
  const asked = Object.entries((spoken.asked ?? {}) as Readers);
  return {
    action,
    route,
    ignores,
    body,
    servesContent,
    slow,
    loginInBody,
    reads: { ...(spoken.input as Readers), ...spoken.asked },
    readInput(source) {
      const input: Record<string, unknown> = {};
      for (const { name, read } of fields) input[name] = read(source);
      check?.(input as InputOf<P>);
      return input;
    },
    readAsked(source) {
      if (asked.length === 0) return NOTHING;
      let values: Record<string, unknown> | undefined;
      for (const [name, reader] of asked) {
        const value = reader.read(source);
        if (value === undefined) continue;
        values ??= {};
        values[name] = value;
      }
      return values ?? NOTHING;
    },
    respond: spoken.respond as Operation['respond'],
    recover: (spoken.recover ?? noRecovery) as Operation['recover'],
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
