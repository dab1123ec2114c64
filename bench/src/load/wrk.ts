import { fileURLToPath } from 'node:url';
import { output } from '../run/processes.js';
import type { Load, LoadResult } from './load.js';

const SCRIPT = fileURLToPath(new URL('../../generators/wrk.lua', import.meta.url));
/** How long wrk may take beyond the time that it measures. */
const MARGIN = 30_000;

interface Printed {
  readonly requests: number;
  readonly microseconds: number;
  readonly failed: number;
}

export async function wrkLoad(load: Load): Promise<LoadResult> {
  const { port, method, path, headers, bytes = -1, keys, first, connections, seconds } = load;
  const pairs = Object.entries(headers).map(([name, value]) => `${name}=${value}`);
  const printed = await output(
    'wrk',
    [
      ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '20s'],
      ...['-s', SCRIPT, `http://127.0.0.1:${port}/`, '--'],
      ...[method, path, String(keys), String(first), String(bytes), ...pairs],
    ],
    seconds * 1000 + MARGIN,
  );
  const line = printed?.stdout.trim().split('\n').at(-1) ?? '';
  const { requests, microseconds, failed } = JSON.parse(line) as Printed;
  return { requests, seconds: microseconds / 1e6, failed };
}
