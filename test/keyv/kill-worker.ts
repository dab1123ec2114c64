/**
 * A writer that will be killed: `node kill-worker.js <place> <name> <seat>`. It loads its modules,
 * waits for a line on its input, opens the store and commits forever. It reports each commit after
 * it has resolved.
 */
import { once } from 'node:events';
import type { KeyvMetadata } from '@bucketware/keyv';
import { opener, type Place } from './kill-place.js';
import { COUNTER, LANES, laneCommit, logKey, prefixOf } from './kill-records.js';

const [, , settings = '', name = '', seat = ''] = process.argv;
/** Resolves when the line has left this process. Buffered lines would be lost. */
const send = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));

async function runLane(store: KeyvMetadata, lane: string): Promise<void> {
  const [first] = await store.list({ prefix: prefixOf(lane), limit: 1 });
  let n = (first?.value as { n: number } | undefined)?.n ?? 0;
  await send(`found ${lane} ${n}`);
  for (;;) {
    n++;
    await store.commit(laneCommit(lane, n));
    await send(`lane ${lane} ${n}`);
  }
}

/** Counts in one record that all writers change. */
async function count(store: KeyvMetadata): Promise<void> {
  for (;;) {
    const entry = await store.get(COUNTER);
    const n = ((entry?.value as number | undefined) ?? 0) + 1;
    const put = [
      { key: COUNTER, value: n },
      { key: logKey(n), value: { n, name } },
    ];
    const expect = [{ key: COUNTER, version: entry?.version }];
    if (await store.commit({ expect, put })) await send(`count ${n}`);
  }
}

process.on('unhandledRejection', async (error: Error) => {
  await send(`failed ${error.message} ${String(error.cause)}`.replaceAll('\n', ' '));
  process.exit(1);
});
const open = await opener(JSON.parse(settings) as Place);
await send('ready');
await once(process.stdin, 'data');
process.stdin.on('end', () => process.exit()); // The parent process has ended.
const store = await open();
for (let at = 0; at < LANES; at++) void runLane(store, `${seat}-${at}`);
void count(store);
