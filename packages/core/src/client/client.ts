import type { Action, AnyAction, SubjectKind } from '../actions/action.js';
import { admit } from '../actions/call.js';
import { conventionsOfPrograms as conventions } from '../actions/conventions.js';
import { actions } from '../actions/index.js';
import {
  type ArgumentsOf,
  type Parameter,
  type Parameters,
  refuseUndefined,
} from '../actions/parameters/parameter.js';
import { run } from '../actions/run.js';
import type { Principal } from '../contracts/principal.js';
import { readSubject } from '../engine/buckets/subject.js';
import { NOTHING } from '../engine/content/receive.js';
import { checkBucketName, checkObjectKey } from '../engine/names.js';
import type { Store } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { findUnknownName, isPlainObject } from '../options.js';
import {
  abandon,
  type Bytes,
  claim,
  fixLength,
  type GivenBody,
  guard,
  requireUnaborted,
  takeBody,
} from './given-body.js';

type NamesOf<On> = On extends 'service'
  ? unknown
  : On extends 'object'
    ? { readonly bucket: string; readonly key: string }
    : { readonly bucket: string };

type BodyOf<Takes> = Takes extends 'bytes'
  ? {
      readonly body: Bytes;
      /** The length of the body in bytes, if known. A body of any other length is rejected. */
      readonly contentLength?: number | undefined;
      /** Aborts the call, which then rejects with the signal's reason. */
      readonly signal?: AbortSignal | undefined;
    }
  : unknown;

type MethodOf<A> =
  A extends Action<infer On extends SubjectKind, infer P extends Parameters, infer R, infer Takes>
    ? Method<NamesOf<On> & BodyOf<Takes> & ArgumentsOf<P>, R>
    : never;

type Method<P, R> = object extends P ? (params?: P) => Promise<R> : (params: P) => Promise<R>;

/**
 * The actions as typed functions, with the same rules and errors as over HTTP. They reject with a
 * {@link StorageError}, or with the driver's own error if a driver fails.
 */
export type Client = { readonly [K in keyof typeof actions]: MethodOf<(typeof actions)[K]> };

interface Params extends Readonly<Record<string, unknown>>, GivenBody {
  readonly bucket?: string;
  readonly key?: string;
}

/**
 * Creates the client of one caller. `trusted`: the caller is your app itself, and nothing is
 * checked.
 */
export function createClient(
  store: Store,
  principal: Principal | undefined,
  trusted: boolean,
): Client {
  const carryOut = async (action: AnyAction, params: Params) => {
    const { on, parameters, takes } = action;
    const bucketName = on === 'service' ? '' : checkBucketName(params.bucket);
    const key = on === 'object' ? checkObjectKey(params.key) : '';
    const wanted = action.usesObject === true ? key : undefined;
    const subject = bucketName === '' ? undefined : await readSubject(store, bucketName, wanted);
    const about = { action, bucketName, subject, key, requestId: '', conventions };
    const caller = { principal, page: undefined, authorize: undefined, opensLate: true, trusted };
    const application = { ...about, ...caller, announced: undefined, signal: () => params.signal };
    const call = await admit(store, application, () => acceptInput(parameters, params));
    const body = takes === 'bytes' ? takeBody(params) : NOTHING;
    return run(action, call, body);
  };
  const method =
    (name: string, action: AnyAction) =>
    async (given: Params = {}) => {
      // Without a prototype: what a package adds to Object.prototype must not become a parameter.
      const params: Params = Object.assign(Object.create(null), given);
      guard(params.body);
      claim(params.body);
      try {
        checkParams(name, given);
        if (action.takes === 'bytes') {
          requireUnaborted(params);
          fixLength(params);
        }
        return await carryOut(action, params);
      } catch (error) {
        abandon(params.body);
        throw error;
      }
    };
  const client: Record<string, unknown> = {};
  for (const [name, action] of Object.entries(actions)) client[name] = method(name, action);
  return client as Client;
}

/** The names of the parameters of each action. */
const PARAMETERS = new Map(
  Object.entries(actions).map(([name, { on, takes, parameters }]) => {
    const subject = on === 'service' ? [] : on === 'object' ? ['bucket', 'key'] : ['bucket'];
    const body = (takes as string) === 'bytes' ? ['body', 'contentLength', 'signal'] : [];
    return [name, [...subject, ...body, ...Object.keys(parameters)]];
  }),
);

/** A misspelled parameter must not be ignored. Throws InvalidArgument. */
function checkParams(name: string, params: Params): void {
  if (!isPlainObject(params)) {
    throw new StorageError('InvalidArgument', `${name}() takes one object of parameters.`);
  }
  const unknownName = findUnknownName(params, PARAMETERS.get(name) ?? []);
  if (unknownName === undefined) return;
  throw new StorageError('InvalidArgument', `${name}() has no parameter ${unknownName}`);
}

function acceptInput(parameters: Parameters, params: Params): Record<string, unknown> {
  refuseUndefined(parameters, params);
  const input: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(parameters)) {
    input[name] = (declared as Parameter<unknown, unknown>).accept(params[name], name);
  }
  return input;
}
