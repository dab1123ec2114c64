import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ObjectStorage } from '@bucketware/storage';

/** What the benchmark can request from a server of the storage, in addition to HTTP. */
export type Command = 'watch' | 'longestPause' | 'check' | 'scrub' | 'lifecycle';

/** The interval in milliseconds at which the event loop is observed: the resolution of a pause. */
const RESOLUTION = 1;

/**
 * Replies to each message with a number: a pause in milliseconds, or the number of visited objects.
 */
export function answerCommands(storage: ObjectStorage): void {
  const pauses = monitorEventLoopDelay({ resolution: RESOLUTION });
  const commands: Record<Command, () => Promise<number> | number> = {
    watch() {
      pauses.reset();
      pauses.enable();
      return 0;
    },
    longestPause() {
      pauses.disable();
      return pauses.max / 1e6;
    },
    async check() {
      const { objects, missing, orphans } = await storage.check();
      if (missing.length + orphans.length > 0) throw new Error('The storage is not sound.');
      return objects;
    },
    async scrub() {
      const { damaged } = await storage.scrub();
      if (damaged.length > 0) throw new Error('The storage is damaged.');
      return 0;
    },
    async lifecycle() {
      await storage.lifecycle.run();
      return 0;
    },
  };
  process.on('message', async (command: Command) => {
    try {
      process.send?.({ value: await commands[command]() });
    } catch (error) {
      process.send?.({ error: String(error) });
    }
  });
}
