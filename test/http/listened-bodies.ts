import type { ExecutionContext } from 'ava';
import { call } from './raw.js';

/**
 * Stores bodies behind an app that listens to them first. Each is stored whole, or rejected with an
 * error that names body parsers as the cause. If `isWhole`, each has to be stored.
 */
export async function checkBodies(t: ExecutionContext, origin: string, isWhole: boolean) {
  const path = '/storage/bucket/new';
  for (const size of [0, 10, 200_000]) {
    for (const framing of [{ 'transfer-encoding': 'chunked' }, {}]) {
      const body = Buffer.alloc(size, 'x');
      const headers = { 'content-type': 'text/plain', ...framing };
      const answer = await call(origin, 'PUT', path, { body, headers });
      const found = await call(origin, 'GET', path);
      if (isWhole) t.is(answer.status, 200);
      if (answer.status === 200) t.true(body.equals(found.body));
      else t.regex(JSON.parse(answer.text).message, /body parser/i);
      await call(origin, 'DELETE', path);
    }
  }
}
