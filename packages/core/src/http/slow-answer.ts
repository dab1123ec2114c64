import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPlainObject, kinds, type OptionKind } from '../options.js';
import type { StorageResponse } from './message.js';

export interface Patience {
  /** Milliseconds after which the answer of a long operation is begun. */
  readonly after: number;
  /** Milliseconds between two blanks that keep the connection alive. */
  readonly every: number;
}

/** What the option `patience` may be. */
export const PATIENCE: OptionKind = {
  is: '{ after, every } in milliseconds',
  fits: (value) =>
    isPlainObject(value) &&
    Object.keys(value).length === 2 &&
    kinds.interval.fits(value.after) &&
    kinds.interval.fits(value.every),
};

/**
 * Waits for an answer. When it takes long, status 200 and blanks are sent ahead of the body, so
 * that no proxy gives up; a failure then stands in the body (UploadPartCopy, rule 5). Failures
 * that are found in time keep their status.
 */
export async function patiently(
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
    body: Readable.from(blanksBefore(work, every), { objectMode: false }),
  };
}

/**
 * The signal of a request whose client leaves, for as long as nothing was answered: what has begun to
 * be answered is finished.
 */
export function untilAnswered(signalOf: () => AbortSignal | undefined) {
  const own = new AbortController();
  let outer: AbortSignal | undefined;
  const leave = () => own.abort(outer?.reason);
  return {
    signal(): AbortSignal | undefined {
      if (outer !== undefined) return own.signal;
      outer = signalOf();
      if (outer?.aborted) leave();
      else outer?.addEventListener('abort', leave, { once: true });
      return outer && own.signal;
    },
    answered: () => outer?.removeEventListener('abort', leave),
  };
}

async function* blanksBefore(work: Promise<StorageResponse>, every: number) {
  for (;;) {
    yield ' ';
    const done = await Promise.race([work, sleep(every, undefined, { ref: false })]);
    if (done !== undefined) {
      yield done.body as Uint8Array | string;
      return;
    }
  }
}
