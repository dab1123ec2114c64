import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ObjectStorage } from '@bucketware/storage';

/** What the benchmark asks of a server of the storage, beside HTTP. */
export type Command = 'watch' | 'longestPause' | 'check' | 'scrub' | 'lifecycle';

/** Milliseconds between two looks at the event loop: no pause is known more exactly. */
const RESOLUTION = 1;

/** Answers each message with a number: a pause in milliseconds, or how many objects were visited. */
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
