/** Uses one database after another while system calls fail, and reports the results. */
import { closeSync, openSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MetadataStore } from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';

const [root = '', count] = process.argv.slice(2);

const seen = {
  /** The number of rejected commits, by error code. */
  failed: {} as Record<string, number>,
  /** Commits that succeeded after one had failed, without reopening the store. */
  recovered: 0,
  /** The messages of a read-only store. */
  messages: [] as string[],
  /**
   * What must not happen: calls that never end, and records that are lost, incomplete or
   * unreadable.
   */
  wrong: [] as string[],
};

async function within<T>(what: string, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      seen.wrong.push(`${what} does not end`);
      resolve(undefined);
    }, 4000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Opening also writes. */
async function open(directory: string): Promise<MetadataStore> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await lmdbMetadata({ directory });
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

interface Pair {
  readonly keys: readonly [string, string];
  readonly value: string;
  committed: boolean;
}

async function look(store: MetadataStore, pairs: readonly Pair[], when: string): Promise<void> {
  for (const { keys, value, committed } of pairs) {
    const entries = await within(`a read ${when}`, store.getMany(keys)).catch((error: Error) => {
      seen.wrong.push(`a read ${when}: ${error.message}`);
      return undefined;
    });
    const values = entries?.map((entry) => entry?.value);
    const isWhole = values?.every((found) => found === value);
    if (committed && !isWhole) seen.wrong.push(`${keys[0]} is lost ${when}`);
    if (!isWhole && values?.some((found) => found !== undefined)) {
      seen.wrong.push(`${keys[0]} is torn ${when}`);
    }
  }
}

async function use(directory: string): Promise<void> {
  const store = await open(directory);
  const pairs: Pair[] = [];
  let isReadOnly = false;
  let hasFailed = false;
  for (let round = 0; round < 4; round++) {
    const commits = [0, 1, 2].map(async (client) => {
      const name = `${round}-${client}`;
      const value = name.repeat(client === 2 ? 30_000 : 1);
      const pair: Pair = { keys: [`a${name}`, `b${name}`], value, committed: false };
      pairs.push(pair);
      const put = pair.keys.map((key) => ({ key, value }));
      const wasReadOnly = isReadOnly;
      const hadFailed = hasFailed;
      try {
        pair.committed = (await within(`commit ${name}`, store.commit({ put }))) !== undefined;
        if (pair.committed && hadFailed) seen.recovered++;
        if (pair.committed && wasReadOnly) seen.wrong.push('a read-only store took a commit');
      } catch (error) {
        const { code = 'none', message } = error as NodeJS.ErrnoException;
        hasFailed = true;
        seen.failed[code] = (seen.failed[code] ?? 0) + 1;
        if (code === 'EROFS') isReadOnly = true;
        if (code === 'EROFS' && !seen.messages.includes(message)) seen.messages.push(message);
        await look(store, pairs, 'at once');
        if (wasReadOnly && code !== 'EROFS') seen.wrong.push(`a read-only store answered ${code}`);
      }
    });
    await Promise.all(commits);
    await look(store, pairs, 'before it was opened anew');
  }
  await within('close', store.close());
  const again = await open(directory);
  await look(again, pairs, 'after it was opened anew');
  await within('the last close', again.close());
}

/** LMDB has one environment for both, so a failed write of one stops both. */
async function useTwice(directory: string): Promise<void> {
  await useUp([await open(directory), await open(directory)]);
}

/** A disk may lose the database for good: it is then empty when it is opened again. */
async function useLost(directory: string): Promise<void> {
  const store = await open(directory);
  const file = join(directory, 'data.mdb');
  await rename(file, `${file}.lost`);
  await writeFile(file, 'no database '.repeat(1000));
  await useUp([store]);
}

async function useUp(stores: readonly MetadataStore[]): Promise<void> {
  for (const store of stores) {
    for (const work of [
      () => store.commit({ put: [{ key: 'k', value: 1 }] }),
      () => store.commit({ put: [{ key: 'k', value: 2 }] }),
      () => store.get('k'),
    ]) {
      await within<unknown>('a call', work()).catch(
        ({ code = 'none', message }: NodeJS.ErrnoException) => {
          seen.failed[code] = (seen.failed[code] ?? 0) + 1;
          if (!seen.messages.includes(message)) seen.messages.push(message);
        },
      );
    }
  }
  for (const store of stores) await within('close', store.close());
}

/** Makes the database grow while the process has no descriptor left. */
async function useUpDescriptors(directory: string): Promise<void> {
  const store = await open(directory);
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
  for (let round = 0; round < 60; round++) {
    await store.commit({ put: [{ key: `k${round}`, value: 'x'.repeat(100_000) }] });
  }
  for (const file of files) closeSync(file);
  await store.close();
}

if (count === 'twice') await useTwice(join(root, '0'));
else if (count === 'descriptors') await useUpDescriptors(join(root, '0'));
else if (count === 'lost') await useLost(join(root, '0'));
else for (let index = 0; index < Number(count); index++) await use(join(root, String(index)));
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit(0);
