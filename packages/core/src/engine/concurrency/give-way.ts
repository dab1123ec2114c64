import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which requests that wait meanwhile have their turn. */
const TURN_MS = 5;

/** Resolves when the work goes on; at once while it has not had its time. */
export type GiveWay = () => Promise<void> | undefined;

/**
 * For work that may go on for long without waiting for anything, as drivers may answer at once.
 * Call it between two steps: it gives way to other requests when the work has had its time.
 */
export function givingWay(): GiveWay {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
