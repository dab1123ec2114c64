import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { QUICK_PLACE, temporaryDirectory } from '../drivers/fixtures.js';
import { listen, memoryStorage, onNode } from '../http/servers.js';

export const MAIN = join(
  dirname(createRequire(import.meta.url).resolve('@bucketware/cli')),
  'main.js',
);

export interface Ended {
  readonly code: number | null;
  /** The signal that ended the process, if any. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of JSON on the standard output. */
  readonly lines: readonly Record<string, unknown>[];
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

/** Creates a directory in which the CLI runs as a child process, on a server of alice. */
export async function onServer(
  t: ExecutionContext,
  settings?: Parameters<typeof memoryStorage>[0],
) {
  const storage = await memoryStorage(settings);
  const { server, origin, close } = await listen(onNode(storage, { mount: '/storage' }));
  const place = await onStorage(t, 'store.json');
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  const config = { endpoint: `${origin}/storage`, headers: { authorization: 'Bearer alice' } };
  await writeFile(place.at('store.json'), JSON.stringify(config));
  return { ...place, storage, server };
}

/** The same with a storage in the directory `data`, which does not exist yet. */
export async function onStorage(t: ExecutionContext, store = 'data') {
  const { path, remove } = await temporaryDirectory(QUICK_PLACE);
  const children = new Set<ChildProcess>();
  t.teardown(async () => {
    for (const child of children) child.kill('SIGKILL');
    await remove();
  });
  /** Starts the command line. */
  const start = (args: readonly string[], { env = {}, input = '' }: Options = {}) => {
    const state = { XDG_STATE_HOME: join(path, '.state') };
    const quiet = { NO_COLOR: '1', NODE_OPTIONS: '', NODE_V8_COVERAGE: '' };
    const own = { ...process.env, BUCKETWARE_STORE: store, ...quiet, ...state, ...env };
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: path, env: own });
    children.add(child);
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text) => {
        printed[name] += text;
      });
    }
    child.stdin.on('error', () => {}); // The command need not read all of its input.
    child.stdin.end(input);
    const ended = once(child, 'close').then(([code, signal]): Ended => {
      children.delete(child);
      return { code, signal, ...printed, lines: linesOf(printed.stdout) };
    });
    return { child, printed, ended };
  };
  const run = (...args: readonly string[]) => start(args).ended;
  /** Runs a command that must succeed. */
  const must = async (...args: readonly string[]): Promise<Ended> => {
    const ended = await run(...args);
    const { code, signal, stderr } = ended;
    t.is(code, 0, `${args.join(' ')} ended with ${signal ?? code}: ${stderr}`);
    return ended;
  };
  const read = (name: string) => readFile(join(path, name), 'utf8');
  return { path, at: (name: string) => join(path, name), start, run, must, read };
}

function linesOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
