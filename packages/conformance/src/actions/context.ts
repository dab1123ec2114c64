import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import type { Caller, HttpServer } from '../http/server.js';
import type { CaseContext } from './case.js';
import type { DialectClient } from './client.js';
import type { Dialect } from './dialect.js';
import { codeOf, Failure, outcome } from './failure.js';

/** Creates the context of a case, and a function that deletes everything that the case has left. */
export function openContext(
  dialect: Dialect,
  server: HttpServer,
): { readonly context: CaseContext; cleanUp(): Promise<void> } {
  const names: string[] = [];
  /** Used only for many successive requests, because a server may end an idle connection. */
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

/** Tries repeatedly, because a request that the case has broken off may still store something. */
async function removeBucket(owner: DialectClient, bucket: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const page = await outcome(owner.listObjects(bucket));
    if (page instanceof Failure) return;
    if (page.keys.length > 0) await owner.deleteObjects(bucket, page.keys);
    else if ((await codeOf(owner.deleteBucket(bucket))) === 'done') return;
  }
}
