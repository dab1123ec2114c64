import type { ObjectStorage } from '@bucketware/storage';
import type { Command } from 'commander';
import { UsageError } from './failures.js';
import { interruptible } from './interrupt.js';
import type { CommonOptions } from './options.js';
import { Progress } from './progress.js';
import { openStore } from './store/open.js';
import type { Store } from './store/store.js';
import { printable, toJson } from './text.js';

/** What a command uses. */
export interface Context<Options> {
  readonly options: Options & CommonOptions;
  readonly store: Store;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints a result: as a line of JSON with --json, otherwise as text. */
  print(value: unknown, text: string): void;
  /** Prints to standard error. */
  note(text: string): void;
  /** Shows progress until `end()`. `noun`: what is counted in addition to bytes. */
  progress(label: string, noun?: string): Progress;
}

interface Needs {
  /** The storage may be created. */
  readonly creates?: boolean;
}

/** Creates the action of a command that uses a storage. The storage is closed at its end. */
export const onStore =
  <Options, Args extends readonly unknown[]>(
    work: (context: Context<Options>, ...args: Args) => Promise<void>,
    { creates = false }: Needs = {},
  ) =>
  async (...given: unknown[]): Promise<void> => {
    const options = (given.at(-1) as Command).optsWithGlobals() as Options & CommonOptions;
    const args = given.slice(0, -2) as unknown as Args;
    const store = await openStore(options, creates);
    try {
      await work({ ...interactionOf(options), options, store }, ...args);
    } finally {
      await store.close();
    }
  };

/** How a command communicates with the user. */
export function interactionOf(
  options: CommonOptions,
): Pick<Context<unknown>, 'signal' | 'print' | 'note' | 'progress'> {
  const isJson = options.json === true;
  return {
    signal: interruptible(),
    print: (value, text) =>
      void process.stdout.write(`${isJson ? toJson(value) : printable(text)}\n`),
    note: (text) => void process.stderr.write(`${printable(text)}\n`),
    progress: (label, noun = 'file') => {
      const { isTTY, columns = 0 } = process.stderr;
      // Some programs create a terminal without a size, which has no line to draw on.
      const shown = !isJson && options.progress !== false && isTTY && columns > 0;
      return new Progress(label, { noun, shown });
    },
  };
}

/** For commands that use the records and blobs directly. */
export function requireLocal(store: Store, command: string): ObjectStorage {
  if (store.local !== undefined) return store.local;
  throw new UsageError(
    `${command} needs direct access to the storage: give a directory or a config file as --store, not a URL.`,
  );
}
