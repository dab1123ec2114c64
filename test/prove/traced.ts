import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Random } from '../simulator/random.js';
import { Load } from './load.js';
import { sh } from './machine.js';
import { type ServerProcess, startServer } from './process.js';

export interface Injection {
  /** The calls, in the syntax of strace, separated by commas. */
  readonly calls: string;
  /** What happens to the call, such as `error=EIO`. */
  readonly fault: string;
  /** The k-th call; if negative, every -k-th call from the third one on. */
  readonly at: number;
  /** Only calls on this file of the storage. */
  readonly file?: string;
}

export interface Traced {
  readonly directory: string;
  readonly load: Load;
  /** `undefined` if the server did not start. */
  readonly server: ServerProcess | undefined;
  /** Ends the server, and returns the output of strace. */
  log(): Promise<string>;
}

/** Calls `use` with a server in which some system calls fail. */
export async function withTraced<T>(
  work: string,
  { calls, fault, at, file }: Injection,
  seed: number,
  use: (traced: Traced) => Promise<T>,
): Promise<T> {
  const directory = `${work}/traced`;
  const trace = `${work}/calls.txt`;
  const load = new Load(new Random(seed + at));
  let server: ServerProcess | undefined;
  try {
    await sh('cp', '-a', await template(work), directory);
    const when = at < 0 ? `3+${-at}` : String(at);
    const path = file === undefined ? [] : ['-P', `${directory}/${file}`];
    const under = ['strace', '-f', '-y', '-qq', '-o', trace, ...path];
    under.push(
      '-e',
      `trace=fsync,fdatasync,${calls}`,
      '-e',
      `inject=${calls}:${fault}:when=${when}`,
    );
    server = await startServer(directory, { under }).catch(() => undefined);
    const log = async () => {
      await server?.kill();
      return readFile(trace, 'utf8');
    };
    return await use({ directory, load, server, log });
  } finally {
    await server?.kill();
    await sh('rm', '-rf', directory, trace);
  }
}

/** A store that has been opened before, so that its first calls are not the ones that fail. */
async function template(work: string): Promise<string> {
  const directory = `${work}/template`;
  if (existsSync(directory)) return directory;
  const server = await startServer(`${directory}.new`);
  await new Load(new Random(0)).prepare(server.origin).finally(() => server.kill());
  await sh('mv', `${directory}.new`, directory);
  return directory;
}

/** The calls that were changed. */
export const injectedIn = (log: string): string[] =>
  log.split('\n').filter((line) => line.includes('(INJECTED)'));
