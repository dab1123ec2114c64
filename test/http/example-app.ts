import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = ['koa-app', 'express-app'] as const;
export type Example = (typeof EXAMPLES)[number];

/** One of the example apps, as a process of its own. */
export interface ExampleApp {
  readonly origin: string;
  readonly process: ChildProcess;
  /** Sends a signal and resolves with how the process ended. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it wrote to its error output. */
  errors(): string;
}

/** Starts an example with its data in `directory`, on a port that is free. */
export async function startExample(
  example: Example | 'custom-driver',
  directory: string,
): Promise<ExampleApp> {
  const main = fileURLToPath(new URL(`../../../examples/${example}/dist/main.js`, import.meta.url));
  const env = { ...process.env, PORT: '0', DATA_DIR: directory };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = once(child, 'exit');
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const url = /^listening on (http:\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    ended.then(() => reject(new Error(`${example} did not start: ${errors.join('')}`)));
  });
  return {
    origin,
    process: child,
    errors: () => errors.join(''),
    async stop(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}
