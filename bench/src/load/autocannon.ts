import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.js';

const SETUP = fileURLToPath(new URL('../../generators/autocannon.cjs', import.meta.url));

export async function autocannonLoad(load: Load): Promise<LoadResult> {
  const { port, method, path, headers, bytes, keys, first, connections, seconds } = load;
  // A function cannot be sent to a thread, so a header of the request contains the data it needs.
  const plan = { 'x-plan': JSON.stringify({ path, keys, first }) };
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    workers: 1,
    timeout: 20,
    requests: [
      {
        method: method as 'GET',
        path,
        headers: { ...headers, ...plan },
        ...(bytes === undefined ? {} : { body: Buffer.alloc(bytes, 'x').toString() }),
        setupRequest: SETUP,
      },
    ],
  });
  return {
    requests: result['2xx'],
    seconds: result.duration,
    failed: result.non2xx + result.errors + result.timeouts,
  };
}
