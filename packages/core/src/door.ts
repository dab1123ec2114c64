import { admit, run } from './call.js';
import type { Principal } from './contracts/principal.js';
import { findBucket } from './engine/buckets/buckets.js';
import { checkBucketName, checkObjectKey } from './engine/names.js';
import type { Store } from './engine/store.js';
import { StorageError } from './errors.js';
import { abandon, type Bytes, claim, type GivenBody, guard, takeBody } from './given-body.js';
import { NOTHING } from './http/body.js';
import type { Fields, ParamsOf } from './http/fields.js';
import type { AnyOperation, BodyKind, Operation, Subject } from './http/operation.js';
import { encodeKey } from './http/target.js';
import { operations } from './operations/index.js';
import { isPlainObject, strangerAmong } from './options.js';

type NamesOf<On> = On extends 'service'
  ? unknown
  : On extends 'object'
    ? { readonly bucket: string; readonly key: string }
    : { readonly bucket: string };

type BodyOf<Takes> = Takes extends 'bytes'
  ? {
      readonly body: Bytes;
      /** When given, a body of another length is refused. */
      readonly contentLength?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    }
  : unknown;

type DoorOf<O> =
  O extends Operation<infer On extends Subject, infer F extends Fields, infer R, infer Takes>
    ? Method<NamesOf<On> & BodyOf<Takes> & ParamsOf<F>, R>
    : never;

type Method<P, R> = object extends P ? (params?: P) => Promise<R> : (params: P) => Promise<R>;

/** The operations as typed functions: the same rules and errors as over HTTP. */
export type Door = { readonly [K in keyof typeof operations]: DoorOf<(typeof operations)[K]> };

interface Params extends Readonly<Record<string, unknown>>, GivenBody {
  readonly bucket?: string;
  readonly key?: string;
}

/** The door for one caller. `trusted` skips the question whether the caller may. */
export function createDoor(store: Store, principal: Principal | undefined, trusted: boolean): Door {
  const carryOut = async (operation: AnyOperation, params: Params) => {
    const { on } = operation.route;
    const bucketName = on === 'service' ? '' : checkBucketName(params.bucket);
    const key = on === 'object' ? checkObjectKey(params.key) : '';
    const url = () => `/${bucketName}/${encodeKey(key)}`;
    const bucket = bucketName === '' ? undefined : await findBucket(store, bucketName);
    const about = { operation, bucketName, bucket, key, url, requestId: '' };
    const caller = { principal, page: undefined, authorize: undefined, opensLate: true, trusted };
    const application = { ...about, ...caller, announced: undefined, signal: () => params.signal };
    const call = await admit(store, application, () => acceptInput(operation.input, params));
    const body = takesBytes(operation.takes) ? takeBody(params) : NOTHING;
    return (await run(operation, call, body)).result;
  };
  const method =
    (name: string, operation: AnyOperation) =>
    async (params: Params = {}) => {
      guard(params?.body);
      claim(params?.body);
      try {
        checkParams(name, params);
        return await carryOut(operation, params);
      } catch (error) {
        abandon(params?.body);
        throw error;
      }
    };
  const door: Record<string, unknown> = {};
  for (const [name, operation] of Object.entries(operations)) door[name] = method(name, operation);
  return door as Door;
}

/** The names of the parameters of each operation. */
const PARAMETERS = new Map(
  Object.entries(operations).map(([name, { route, takes, input }]) => {
    const subject =
      route.on === 'service' ? [] : route.on === 'object' ? ['bucket', 'key'] : ['bucket'];
    const body = takesBytes(takes) ? ['body', 'contentLength', 'signal'] : [];
    return [name, [...subject, ...body, ...Object.keys(input)]];
  }),
);

/** A misspelled parameter must not be ignored. Throws InvalidArgument. */
function checkParams(name: string, params: Params): void {
  if (!isPlainObject(params)) {
    throw new StorageError('InvalidArgument', `${name}() takes one object of parameters.`);
  }
  const stranger = strangerAmong(params, PARAMETERS.get(name) ?? []);
  if (stranger === undefined) return;
  throw new StorageError('InvalidArgument', `${name}() has no parameter ${stranger}`);
}

function takesBytes(takes: BodyKind): boolean {
  return takes === 'bytes';
}

function acceptInput(fields: Fields, params: Params): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.neverUndefined && name in params && params[name] === undefined) {
      const message = `${name} is undefined. Give its value, or leave ${name} out.`;
      throw new StorageError('InvalidArgument', message);
    }
    input[name] = field.accept(params[name] as never, name);
  }
  return input;
}
