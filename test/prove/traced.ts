import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Random } from '../simulator/random.js';
import { Load } from './load.js';
import { sh } from './machine.js';
import { type ServerProcess, startServer } from './process.js';

export interface Injection {
  /** As strace calls them, separated by commas. */
  readonly calls: string;
  /** What becomes of the call, such as `error=EIO`. */
  readonly fault: string;
  /** Which of the calls: the k-th, or, when negative, each -k-th from the third on. */
  readonly at: number;
  /** Only calls on this file of the storage. */
  readonly file?: string;
}

export interface Traced {
  readonly directory: string;
  readonly load: Load;
  /** Undefined: it did not come so far. */
  readonly server: ServerProcess | undefined;
  /** What strace wrote. Ends the server. */
  log(): Promise<string>;
}

/** Runs `use` with a server in which some calls of the system fail. */
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

/** A store that was opened before: its own first calls are not what is to fail. */
async function template(work: string): Promise<string> {
  const directory = `${work}/template`;
  if (existsSync(directory)) return directory;
  const server = await startServer(`${directory}.new`);
  await new Load(new Random(0)).prepare(server.origin).finally(() => server.kill());
  await sh('mv', `${directory}.new`, directory);
  return directory;
}

/** The calls that were tampered with. */
export const injectedIn = (log: string): string[] =>
  log.split('\n').filter((line) => line.includes('(INJECTED)'));
