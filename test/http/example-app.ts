import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = ['koa-app', 'express-app'] as const;
export type Example = (typeof EXAMPLES)[number];

/** An example app in a separate process. */
export interface ExampleApp {
  readonly origin: string;
  readonly process: ChildProcess;
  /** Sends a signal. Resolves to how the process ended. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Its standard output and error output. */
  printed(): string;
  errors(): string;
}

/** Examples that are started as processes. */
export type StartedExample = Example | 'custom-driver' | 'cluster-app';

/**
 * Starts an example with its data in `directory`, on a free port. `settings` are environment
 * variables.
 */
export async function startExample(
  example: StartedExample,
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ExampleApp> {
  const built = new URL(`../../../examples/${example}/dist/main.js`, import.meta.url);
  const env = { ...process.env, PORT: '0', DATA_DIR: directory, ...settings };
  const child = spawn(process.execPath, [fileURLToPath(built)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
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
    printed: () => printed.join(''),
    errors: () => errors.join(''),
    async stop(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}
