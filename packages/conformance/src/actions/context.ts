import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import type { Caller, HttpServer } from '../http/server.js';
import type { CaseContext } from './case.js';
import type { DialectClient } from './client.js';
import type { Dialect } from './dialect.js';
import { codeOf, Failure, outcome } from './failure.js';

/** The context of one case, and what removes all that the case has left. */
export function openContext(
  dialect: Dialect,
  server: HttpServer,
): { readonly context: CaseContext; cleanUp(): Promise<void> } {
  const names: string[] = [];
  /** Only for many requests in a row: a server may end a connection that rests for a moment. */
  const agent = new Agent({ keepAlive: true });
  const callers: Readonly<Record<Caller, DialectClient>> = {
    alice: dialect.connect(server, { caller: 'alice' }),
    bob: dialect.connect(server, { caller: 'bob' }),
    anonymous: dialect.connect(server, { caller: 'anonymous' }),
  };
  const newName = (): string => {
    const name = `case-${randomBytes(8).toString('hex')}`;
    names.push(name);
    return name;
  };
  const context: CaseContext = {
    server,
    traits: dialect.traits,
    ...callers,
    as: (caller) => callers[caller],
    newName,
    async newBucket(owner = callers.alice) {
      const name = newName();
      await owner.createBucket(name);
      return name;
    },
    async fill(bucket, keys) {
      const alice = dialect.connect(server, { caller: 'alice', agent });
      const waiting = keys.values();
      const worker = async () => {
        for (const key of waiting) await alice.putObject(bucket, key, '');
      };
      await Promise.all(Array.from({ length: 32 }, worker));
    },
  };
  const cleanUp = async (): Promise<void> => {
    for (const bucket of names) {
      for (const owner of [callers.alice, callers.bob]) await removeBucket(owner, bucket);
    }
    agent.destroy();
  };
  return { context, cleanUp };
}

/** A request that a case broke off may still be under way, and put something there. */
async function removeBucket(owner: DialectClient, bucket: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const page = await outcome(owner.listObjects(bucket));
    if (page instanceof Failure) return;
    if (page.keys.length > 0) await owner.deleteObjects(bucket, page.keys);
    else if ((await codeOf(owner.deleteBucket(bucket))) === 'done') return;
  }
}
