import type { Generator } from '../load/load.js';
import type { Contender, Series } from '../run/rounds.js';
import { messageOf } from '../run/rounds.js';
import type { Kind } from '../servers/kind.js';
import type { Pool } from '../servers/pool.js';
import type { Settings } from '../settings.js';

/** The title of `longestPause` in the report. */
export const PAUSE = 'Longest pause of the event loop';

/** The units of figures. For the first two, more is better; for the others, less. */
export type Unit = 'requests/s' | 'bytes/s' | 'ms' | 'bytes';

/** The figures of all contenders for one kind of work. */
export interface Result {
  readonly name: string;
  readonly title: string;
  readonly unit: Unit;
  readonly series: readonly Series[];
}

export interface Context {
  readonly pool: Pool;
  readonly settings: Settings;
  readonly generate: Generator;
}

export interface Scenario {
  /** The name on the command line. */
  readonly name: string;
  run(context: Context): Promise<readonly Result[]>;
}

/** The results of peers differ so much that a few rounds are enough. */
const PEER_ROUNDS = 2;

/**
 * Creates a contender for each server. A server that cannot be started fails when it is measured.
 */
export async function contend(
  kinds: readonly Kind[],
  enter: (kind: Kind) => Promise<Omit<Contender, 'name' | 'title'>>,
): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const kind of kinds) {
    const { name, title, needs } = kind;
    const entered = await enter(kind).catch((error) => ({
      measure: () => Promise.reject(new Error(messageOf(error))),
    }));
    contenders.push({ name, title, ...(needs === 'npm' && { rounds: PEER_ROUNDS }), ...entered });
  }
  return contenders;
}
