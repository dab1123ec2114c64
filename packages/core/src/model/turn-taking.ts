import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which requests that wait meanwhile have their turn. */
const TURN_MS = 5;

/**
 * For work that may go on for long without waiting for anything, as drivers may answer at once.
 * Call it between two steps: it gives way to other requests when the work has had its time.
 */
export function turnTaking(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
