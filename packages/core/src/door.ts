import { Readable } from 'node:stream';
import { admit, run } from './call.js';
import type { Principal } from './contracts/principal.js';
import { StorageError } from './errors.js';
import { NOTHING } from './http/body.js';
import type { Fields, ParamsOf } from './http/fields.js';
import type { AnyOperation, BodyKind, Operation, Subject } from './http/operation.js';
import { encodeKey } from './http/target.js';
import { findBucket } from './model/buckets.js';
import { checkBucketName, checkObjectKey } from './model/names.js';
import type { Body } from './model/receive.js';
import type { Store } from './model/store.js';
import { operations } from './operations/index.js';
import { isPlainObject, strangerAmong } from './options.js';

/** Bytes as a program may give them. Text is UTF-8. */
export type Bytes = Uint8Array | string | AsyncIterable<Uint8Array>;

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

interface Params extends Readonly<Record<string, unknown>> {
  readonly bucket?: string;
  readonly key?: string;
  readonly body?: Bytes;
  readonly contentLength?: number;
  readonly signal?: AbortSignal;
}

/** The door for one caller. `trusted` skips the question whether the caller may. */
export function createDoor(store: Store, principal: Principal | undefined, trusted: boolean): Door {
  const method =
    (name: string, operation: AnyOperation) =>
    async (params: Params = {}) => {
      const { on } = operation.route;
      checkParams(name, params);
      const bucketName = on === 'service' ? '' : checkBucketName(params.bucket);
      const key = on === 'object' ? checkObjectKey(params.key) : '';
      const url = () => `/${bucketName}/${encodeKey(key)}`;
      const bucket = bucketName === '' ? undefined : await findBucket(store, bucketName);
      const about = { operation, bucketName, bucket, key, url, requestId: '' };
      const application = { ...about, principal, authorize: undefined, trusted };
      const call = await admit(store, application, () => acceptInput(operation.input, params));
      const body = takesBytes(operation.takes) ? bodyOf(params) : NOTHING;
      return run(operation, call, body);
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
  for (const [name, field] of Object.entries(fields))
    input[name] = field.accept(params[name] as never);
  return input;
}

function bodyOf({ body, contentLength, signal }: Params): Body {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return { source: Readable.from([bytes]), length: contentLength ?? bytes.length, signal };
  }
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  if (!isStream) {
    throw new StorageError('InvalidArgument', 'The body must be text, bytes or a stream of bytes.');
  }
  return { source: body instanceof Readable ? body : copies(body), length: contentLength, signal };
}

/** A program may fill one buffer again and again, but a chunk is written while the next is made. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
