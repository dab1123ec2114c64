/** The other process of processes.ts: executes the commands of its parent on the same records. */
import { type Driver, type Durability, openEmbedded } from './embedded.js';

const [driver, directory = '', durability] = process.argv.slice(2);
const store = await openEmbedded(driver as Driver, directory, durability as Durability);
const send = (message: unknown): void => void process.send?.(message);

async function increment(): Promise<void> {
  for (;;) {
    const entry = await store.get('n');
    const expect = [{ key: 'n', version: entry?.version }];
    const value = ((entry?.value as number | undefined) ?? 0) + 1;
    if (await store.commit({ expect, put: [{ key: 'n', value }] })) return;
  }
}

/** Writes one key after another, in eight chains at once, and reports each committed key. */
async function writeForEver(chain: number): Promise<void> {
  for (let index = 0; ; index++) {
    const key = `${chain}/${index}`;
    await store.commit({ put: [{ key, value: key.repeat(20) }] });
    send(key);
  }
}

/** Opens the records again and again, like a command that is run beside an app. */
async function openForEver(): Promise<void> {
  for (let count = 0; ; count++) {
    const other = await openEmbedded(driver as Driver, directory, durability as Durability);
    await other.get('n');
    await other.close();
    if (count === 20) send('opened');
  }
}

process.on('message', async (message) => {
  if (message === 'open') {
    // lmdb-js opens a database only once in each process.
    await store.close();
    await openForEver();
  }
  if (message === 'increment') {
    for (let count = 0; count < 100; count++) await increment();
    await store.close();
    process.disconnect?.();
  }
  if (message === 'write') {
    for (let chain = 0; chain < 8; chain++) void writeForEver(chain);
  }
  if (message === 'flood') {
    const commits = Array.from({ length: 130_000 }, () => store.commit({ delete: ['none'] }));
    send((await Promise.all(commits)).every(Boolean));
  }
  if (typeof message === 'object') {
    const { put } = message as { put: { key: string; value: unknown } };
    await store.commit({ put: [put] });
    send((await store.get(put.key))?.version);
  }
});
send('ready');
