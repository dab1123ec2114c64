import type { Result } from '../scenarios/scenario.js';
import { figureOf, ratioOf, show } from './figures.js';

/** A target that the storage should meet. */
interface Target {
  readonly what: string;
  /** The figure, or `undefined` if it was not measured. */
  readonly value: (results: ReadonlyMap<string, Result>) => number | undefined;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly show: (value: number) => string;
}

export interface TargetRow {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  /** `undefined` if the figure was not measured. */
  readonly met: boolean | undefined;
  /** How far above or below the target, in percent of it. Positive is better. */
  readonly margin: number | undefined;
}

const asRatio = (value: number): string => value.toFixed(2);
const asMs = (value: number): string => show('ms', value);
const asBytes = (value: number): string => show('bytes', value);

const ratio = (
  what: string,
  [result, name, against]: readonly [string, string, string],
  goal: { readonly atLeast: number } | { readonly atMost: number },
): Target => ({
  what,
  value: (results) => ratioOf(results.get(result), name, against),
  ...goal,
  show: asRatio,
});

/** The highest memory in one of these results, for one stream. */
const memoryOf = (server: string): Target => ({
  what: `peak memory for one stream on ${server === 'koa' ? 'Koa' : 'Express'}`,
  value(results) {
    const peaks = ['get-512m', 'put-512m'].flatMap((name) =>
      (results.get(name)?.series ?? [])
        .filter((series) => series.name === server)
        .map(({ peakMemory }) => peakMemory ?? 0),
    );
    return peaks.length === 0 ? undefined : Math.max(...peaks);
  },
  atMost: 200e6,
  show: asBytes,
});

const slow = (server: string): Target => ({
  what: `peak memory for slow readers and writers on ${server === 'koa' ? 'Koa' : 'Express'}`,
  value: (results) => figureOf(results.get('memory-slow'), server),
  atMost: 400e6,
  show: asBytes,
});

const pause = (name: string, what: string, result = 'pauses'): Target => ({
  what: `longest pause of the event loop: ${what}`,
  value: (results) => figureOf(results.get(result), name),
  atMost: 20,
  show: asMs,
});

const TARGETS: readonly Target[] = [
  ratio('PUT of 1 KiB on Koa, relative to bare Node', ['put-1k', 'koa', 'bare'], { atLeast: 1.5 }),
  ratio('PUT of 1 KiB on Koa, relative to s3rver', ['put-1k', 'koa', 's3rver'], { atLeast: 8 }),
  ratio(
    'PUT of 1 KiB on Koa over 1 connection, relative to bare Node',
    ['put-1k-1', 'koa', 'bare'],
    {
      atLeast: 0.9,
    },
  ),
  ratio('GET of 1 KiB on Koa, relative to the sketch', ['get-1k', 'koa', 'sketch'], {
    atLeast: 0.95,
  }),
  ratio(
    'GET of 1 KiB on Koa, relative to its constant response',
    ['get-1k', 'koa', 'constant-koa'],
    {
      atLeast: 0.45,
    },
  ),
  ratio(
    'GET of 1 KiB on Express, relative to its constant response',
    ['get-1k', 'express', 'constant-express'],
    {
      atLeast: 0.8,
    },
  ),
  ratio('GET of 512 MiB on Koa, relative to bare Node', ['get-512m', 'koa', 'bare'], {
    atLeast: 1.2,
  }),
  ratio('GET of 512 MiB on Koa, relative to nginx', ['get-512m', 'koa', 'nginx'], {
    atLeast: 0.45,
  }),
  ratio('PUT of 512 MiB on Koa, relative to bare Node', ['put-512m', 'koa', 'bare'], {
    atLeast: 1.2,
  }),
  ratio(
    'listing 1,000 folders, relative to a page of 1,000 keys',
    ['list', 'folders', 'keys-1e3'],
    {
      atMost: 3,
    },
  ),
  ...['copy', 'rename', 'append'].map((name) =>
    ratio(`${name} of 512 MiB, relative to 1 KiB`, [name, 'large', 'small'], { atMost: 1.5 }),
  ),
  {
    what: 'completing an upload of 10,000 parts',
    value: (results) => figureOf(results.get('complete'), 'parts'),
    atMost: 150,
    show: asMs,
  },
  memoryOf('koa'),
  memoryOf('express'),
  slow('koa'),
  slow('express'),
  pause('parts', 'completing an upload of 10,000 parts', 'complete-pause'),
  pause('batch-delete', 'deleting 1,000 objects'),
  pause('list', 'listing keys'),
  pause('folders', 'listing folders'),
  pause('lifecycle', 'applying lifecycle rules'),
  pause('check', 'checking'),
  pause('scrub', 'scrubbing'),
];

/** Compares every target with its figure. */
export function compareTargets(results: readonly Result[]): TargetRow[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  return TARGETS.map((target) => {
    const { what, atLeast, atMost = 0 } = target;
    const goal = atLeast ?? atMost;
    const value = target.value(byName);
    const wanted = `${atLeast === undefined ? 'at most' : 'at least'} ${target.show(goal)}`;
    if (value === undefined) {
      return { what, target: wanted, measured: '', met: undefined, margin: undefined };
    }
    const margin = ((atLeast === undefined ? goal - value : value - goal) / goal) * 100;
    return { what, target: wanted, measured: target.show(value), met: margin >= 0, margin };
  });
}
