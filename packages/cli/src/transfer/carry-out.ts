import type { Context } from '../context.js';
import { Failed, inWords, isFatal } from '../failures.js';
import { bytes, counted } from '../text.js';
import { inParallel, limitConcurrency } from './parallel.js';

export interface TransferOptions {
  readonly dryRun?: boolean;
  readonly verbose?: boolean;
  readonly concurrency?: number;
}

/** One file or object to transfer or remove. */
export interface Task {
  /** Such as `upload a.txt to notes:a.txt`. */
  readonly what: string;
  /** The number of bytes to transfer. */
  readonly size: number;
  readonly kind: 'copied' | 'deleted';
  /** Why the task cannot be done: what is wrong with its name, or the error that prevents it. */
  readonly problem?: string | Error | undefined;
  /** Resolves to `same` when nothing had to be transferred. */
  act(onBytes: (loaded: number) => void, signal: AbortSignal): Promise<'done' | 'same'>;
}

export interface Plan {
  readonly tasks: AsyncIterable<Task>;
  /** Deletions, which begin after all tasks have succeeded. Impossible names do not matter. */
  readonly deletions?: AsyncIterable<Task> | undefined;
  /** The number of bytes, if all tasks are known. */
  readonly total?: number | undefined;
}

/** Larger files take several times the memory of their parts. */
const LARGE = 8 * 1024 * 1024;
const LARGE_AT_A_TIME = 2;

interface Outcome {
  copied: number;
  deleted: number;
  same: number;
  bytes: number;
  readonly failed: { readonly what: string; readonly why: string }[];
}

/**
 * Does all tasks, several at a time, and prints the result. What fails is named, and does not stop
 * the others; the command fails at the end.
 */
export async function carryOut(
  { options, progress: show, signal, print, note }: Context<TransferOptions>,
  label: string,
  { tasks, deletions, total }: Plan,
): Promise<void> {
  const outcome: Outcome = { copied: 0, deleted: 0, same: 0, bytes: 0, failed: [] };
  const progress = show(label);
  progress.totalBytes = total;
  const largeTurn = limitConcurrency(LARGE_AT_A_TIME);
  let hasErrors = false;
  const fail = (what: string, error: unknown) => {
    if (isFatal(error)) throw error;
    const why = inWords(error);
    hasErrors ||= error instanceof Error;
    outcome.failed.push({ what, why });
    progress.note(`Not done: ${what}: ${why}`);
  };
  const one = async ({ what, size, kind, problem, act }: Task): Promise<void> => {
    signal.throwIfAborted();
    if (problem !== undefined) return fail(what, problem);
    if (options.dryRun) return print({ would: what, bytes: size }, `Would ${what}`);
    let moved = 0;
    const onBytes = (loaded: number) => {
      progress.add(loaded - moved);
      moved = loaded;
    };
    try {
      const work = () => withSignal(signal, (own) => act(onBytes, own));
      const result = await (size > LARGE ? largeTurn(work) : work());
      if (result === 'same') outcome.same++;
      else outcome[kind]++;
      if (kind === 'copied' && result === 'done') outcome.bytes += size;
      if (options.verbose && result === 'done') progress.note(`Done: ${what}`);
    } catch (error) {
      signal.throwIfAborted();
      fail(what, error);
    }
    progress.files++;
    progress.draw();
  };
  try {
    const width = options.concurrency ?? 16;
    await inParallel(tasks, width, one);
    signal.throwIfAborted();
    if (deletions !== undefined && hasErrors) {
      progress.note('Nothing was deleted, because not everything could be copied.');
    } else if (deletions !== undefined) await inParallel(deletions, width, one);
    signal.throwIfAborted();
  } finally {
    progress.end();
    // For a single file, there is nothing to count.
    if (total === undefined && !options.dryRun) note(summaryOf(outcome));
  }
  if (options.json && !options.dryRun) print(outcome, '');
  const failed = outcome.failed.length;
  if (failed > 0) throw new Failed(`${counted(failed, 'file')} could not be processed.`);
}

/** Gives work a separate signal, because requests do not remove their listeners. */
async function withSignal<T>(
  signal: AbortSignal,
  work: (own: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function summaryOf({ copied, deleted, same, bytes: moved, failed }: Outcome): string {
  const parts = [`${counted(copied, 'file')} copied (${bytes(moved)})`];
  if (same > 0) parts.push(`${same.toLocaleString('en')} unchanged`);
  if (deleted > 0) parts.push(`${deleted.toLocaleString('en')} deleted`);
  if (failed.length > 0) parts.push(`${failed.length.toLocaleString('en')} failed`);
  return `${parts.join(', ')}.`;
}
