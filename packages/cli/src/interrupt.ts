import { setMaxListeners } from 'node:events';
import { Interrupted } from './failures.js';

const AGAIN = 'Stopped. Data that has arrived is kept: run the same command again to continue.';

/** After this time, the process is ended. That is safe: no acknowledged write is lost. */
const PATIENCE_MS = 8_000;

/** A signal that aborts at the first Ctrl-C. The second one ends the process at once. */
export function interruptible(): AbortSignal {
  const controller = new AbortController();
  // Each file under way listens to it, and Node would warn of that.
  setMaxListeners(0, controller.signal);
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Interrupted(AGAIN));
    setTimeout(() => process.exit(130), PATIENCE_MS).unref();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}
