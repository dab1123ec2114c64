import { systemCode } from '@bucketware/core/contracts';

/**
 * Lets many callers share one run of `sync`: each waits for a run that began after its call. After
 * a run has failed, all later ones fail as well: the system reports a lost write only once, and
 * would report success for the next sync. On a full disk, the system has refused to write, but has
 * lost nothing that a later sync cannot write.
 */
export function coalesce(sync: () => Promise<void>): () => Promise<void> {
  let previous: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    if (waiting) return waiting;
    const run = previous.then(() => {
      waiting = undefined;
      return sync();
    });
    waiting = run;
    previous = run.catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === 'fsync' && !isFull(error)) throw error;
    });
    // The callers that wait for `run` get the failure; `previous` may have no caller.
    previous.catch(() => {});
    return run;
  };
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');
