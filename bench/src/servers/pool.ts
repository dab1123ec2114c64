import { send } from '../load/connection.js';
import { newDirectory } from '../run/processes.js';
import { messageOf } from '../run/rounds.js';
import { floors } from './floors.js';
import { installPeers } from './install.js';
import type { Kind, Place } from './kind.js';
import { findNginx } from './nginx.js';
import { ours, pathOf } from './ours.js';
import { peers } from './peers.js';
import { Server } from './server.js';

export const KINDS: readonly Kind[] = [...ours, ...floors, ...peers];

export interface PoolOptions {
  /** The names of servers to measure. Empty: all. */
  readonly servers: readonly string[];
  readonly noPeers: boolean;
}

/** The servers of a run. Each is started when it is first needed. */
export class Pool {
  /** Why some servers are missing. */
  readonly absent = new Map<string, string>();
  readonly #options: PoolOptions;
  readonly #running = new Map<string, Promise<Server>>();
  #peers = '';

  private constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Finds out which servers can be started, and installs those from npm. */
  static async open(options: PoolOptions): Promise<Pool> {
    const pool = new Pool(options);
    const wanted = KINDS.filter(({ name }) => pool.#isWanted(name));
    const mark = (needs: Kind['needs'], reason: string) => {
      for (const kind of wanted) if (kind.needs === needs) pool.absent.set(kind.name, reason);
    };
    if ((await findNginx()) === undefined) mark('nginx', 'It is not installed.');
    if (options.noPeers) mark('npm', 'Left out by --no-peers.');
    else if (wanted.some(({ needs }) => needs === 'npm')) {
      await installPeers().then(
        (folder) => {
          pool.#peers = folder;
        },
        (error) => mark('npm', `It could not be installed: ${messageOf(error)}`),
      );
    }
    return pool;
  }

  #isWanted(name: string): boolean {
    const { servers } = this.#options;
    return servers.length === 0 || servers.includes(name);
  }

  /** The servers in this list that this run measures. */
  present(names: readonly string[]): Kind[] {
    return KINDS.filter(
      ({ name }) => names.includes(name) && this.#isWanted(name) && !this.absent.has(name),
    );
  }

  /** Resolves to a server that runs until the end. */
  get(name: string): Promise<Server> {
    const known = this.#running.get(name);
    if (known) return known;
    const started = this.start(name);
    this.#running.set(name, started);
    return started;
  }

  /**
   * Starts a server that the caller must stop. `directory` may contain data, and is removed with
   * it.
   */
  async start(name: string, directory: string = newDirectory()): Promise<Server> {
    const kind = KINDS.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`There is no server ${name}.`);
    const place: Place = { directory, peers: this.#peers, headers: () => this.#headers() };
    const running = await kind.start(place);
    const server = new Server(kind, running, directory);
    try {
      await kind.prepare?.(running.port);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** The headers of a real response of the storage, without those that Node adds itself. */
  async #headers(): Promise<[string, string][]> {
    const { port } = await this.get('koa');
    const body = [Buffer.alloc(1024, 'x')];
    await send(port, { method: 'PUT', path: pathOf('calibration'), length: 1024, body });
    const { head } = await send(port, { method: 'GET', path: pathOf('calibration') });
    const lines = head.split('\r\n').slice(1);
    const pairs = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    return pairs.filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
  }

  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#running.values());
    for (const one of all) if (one.status === 'fulfilled') await one.value.stop();
  }
}
