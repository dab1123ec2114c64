import { Readable } from 'node:stream';

/**
 * A stream of another package than node:stream, such as readable-stream, streamx or minipass. It
 * need not have any of the optional fields.
 */
export interface ForeignStream extends AsyncIterable<unknown> {
  pipe(to: unknown): unknown;
  on(event: string, listener: () => void): unknown;
  destroy?(): unknown;
  readonly destroyed?: boolean;
  readonly readableDidRead?: boolean;
  /** Of minipass. */
  readonly flowing?: boolean;
  /** Of readable-stream: `flowing` is null until something reads. */
  readonly _readableState?: { readonly flowing?: boolean | null };
}

/** Whether a body that is not one of Node's streams behaves like one. */
export function isForeignStream(body: unknown): body is ForeignStream {
  if (typeof body !== 'object' || body === null || body instanceof Readable) return false;
  const { pipe, on } = body as Partial<ForeignStream>;
  return typeof pipe === 'function' && typeof on === 'function' && Symbol.asyncIterator in body;
}

/** Whether something else has read the stream, or reads it, as far as the stream shows it. */
export const wasForeignRead = (body: ForeignStream): boolean =>
  body.destroyed === true ||
  body.readableDidRead === true ||
  body.flowing === true ||
  typeof body._readableState?.flowing === 'boolean';

/** Fails if the stream is closed before its end, which ends the iterators of some packages. */
export async function* untilEnd(body: ForeignStream): AsyncGenerator<unknown> {
  let hasEnded = false;
  body.on('end', () => {
    hasEnded = true;
  });
  yield* body;
  if (hasEnded) return;
  const message = 'The stream was closed before its end.';
  throw Object.assign(new Error(message), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}
