import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { UsageError } from '../failures.js';
import { isRemote, parseLocation, type RemotePlace } from '../location.js';
import { carryOut } from '../transfer/carry-out.js';
import type { UploadHeaders } from '../transfer/move-data.js';
import { type CopyOptions, planCopy } from '../transfer/plan.js';
import { command, examples, headerOptions, transferOptions } from './shared.js';

export interface CpOptions extends CopyOptions {
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly metadata?: readonly string[];
}

export const cp = (): Command =>
  headerOptions(
    transferOptions(
      command('cp', 'copy files into, out of or within the storage')
        .argument('<from>', 'a path, bucket:key, or - for standard input')
        .argument('<to>', 'a path, bucket:key, or - for standard output')
        .option('-r, --recursive', 'copy everything in a directory or folder'),
    ),
  )
    .addHelpText(
      'after',
      examples(
        'cp photo.jpg photos:2026/',
        'cp -r ./site www:',
        'cp -r photos:2026/ ./photos',
        'cp photos:a.jpg archive:a.jpg',
        'cp photos:notes.txt - | less',
      ),
    )
    .action(
      onStore<CpOptions, [string, string]>(async (context, from, to) => {
        if (from === '-') return fromStandardInput(context, to);
        if (to === '-') return toStandardOutput(context, from);
        await copyOrMove(context, from, to, false);
      }),
    );

export async function copyOrMove(
  context: Context<CpOptions>,
  from: string,
  to: string,
  move: boolean,
): Promise<void> {
  const way = { from: parseLocation(from), to: parseLocation(to), move };
  const plan = await planCopy(context, { ...way, headers: headersIn(context.options) });
  await carryOut(context, move ? 'Moving' : 'Copying', plan);
}

/** The headers that options give to uploaded files. */
export function headersIn({ contentType, cacheControl, metadata }: CpOptions): UploadHeaders {
  if (metadata === undefined) return { contentType, cacheControl };
  const pairs = metadata.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`--metadata takes name=value, not ${text}.`);
    return [text.slice(0, at).toLowerCase(), text.slice(at + 1)] as const;
  });
  return { contentType, cacheControl, metadata: Object.fromEntries(pairs) };
}

function requireKey(text: string): RemotePlace {
  const place = parseLocation(text);
  if (isRemote(place) && place.key !== '' && !place.key.endsWith('/')) return place;
  throw new UsageError(`${text} is not an object. Write bucket:key.`);
}

async function fromStandardInput(context: Context<CpOptions>, to: string): Promise<void> {
  const { store, options, signal, print, progress: show } = context;
  const place = requireKey(to);
  const progress = show('Copying', '');
  try {
    const { size, etag } = await store.client.upload({
      ...place,
      ...headersIn(options),
      body: process.stdin,
      signal,
      onProgress: ({ loaded }) => progress.set(loaded),
    });
    if (options.json) print({ ...place, size, etag }, '');
  } finally {
    progress.end();
    process.stdin.destroy();
  }
}

async function toStandardOutput(
  { store: { client }, signal }: Context<CpOptions>,
  from: string,
): Promise<void> {
  const { body } = await client.download({ ...requireKey(from), signal });
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    if (!process.stdout.write(chunk)) {
      await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
}
