import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalOf } from '../engine/concurrency/when-aborted.js';
import { isPlainObject, kinds, type OptionKind } from '../options.js';
import type { StorageResponse } from './message.js';

/** When the response of a long operation is started, and how it is kept alive. */
export interface Patience {
  /** After how many milliseconds the response of a long operation is started. */
  readonly after: number;
  /** The interval between spaces that keep the connection alive, in milliseconds. */
  readonly every: number;
}

/** The allowed values of the option `patience`. */
export const PATIENCE: OptionKind = {
  is: '{ after, every } in milliseconds',
  fits: (value) =>
    isPlainObject(value) &&
    Object.keys(value).length === 2 &&
    kinds.interval.fits(value.after) &&
    kinds.interval.fits(value.every),
};

/**
 * Waits for a response. If it takes long, status 200 and spaces are sent before the body, so that
 * no proxy gives up; the body then reports a later failure (UploadPartCopy, rule 5). Earlier
 * failures keep their status.
 */
export async function withKeepAlive(
  work: Promise<StorageResponse>,
  { after, every }: Patience,
  headers: StorageResponse['headers'],
  onBegun: () => void,
): Promise<StorageResponse> {
  const timer = new AbortController();
  const late = sleep(after, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  const early = await Promise.race([work, late]);
  timer.abort();
  if (early !== undefined) return early;
  onBegun();
  return {
    status: 200,
    headers: { ...headers },
    body: Readable.from(spacesBefore(work, every), { objectMode: false }),
  };
}

/**
 * Aborts when the client disconnects before the response has started. After the start, the
 * operation is completed in any case.
 */
export function untilAnswered(signalOf: SignalOf) {
  const own = new AbortController();
  let outer: AbortSignal | undefined;
  let isAnswered = false;
  const leave = () => own.abort(outer?.reason);
  return {
    signal(): AbortSignal | undefined {
      if (isAnswered || outer !== undefined) return outer && own.signal;
      outer = signalOf();
      if (outer?.aborted) leave();
      else outer?.addEventListener('abort', leave, { once: true });
      return outer && own.signal;
    },
    answered(): void {
      isAnswered = true;
      outer?.removeEventListener('abort', leave);
    },
  };
}

async function* spacesBefore(work: Promise<StorageResponse>, every: number) {
  for (;;) {
    yield ' ';
    const done = await Promise.race([work, sleep(every, undefined, { ref: false })]);
    if (done !== undefined) {
      yield done.body as Uint8Array | string;
      return;
    }
  }
}
