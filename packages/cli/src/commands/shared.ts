import { Command, InvalidArgumentError, Option } from 'commander';

/** A command with the common options. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(
      new Option(
        '-s, --store <place>',
        'the storage: a directory, a config file (.json) or the URL of a mount (default: $BUCKETWARE_STORE)',
      ),
    )
    .option(
      '--header <header>',
      "a header for requests to a server, such as 'Authorization: Bearer …'; repeatable",
      many,
    )
    .option('--json', 'print results as lines of JSON')
    .option('--no-progress', 'show no progress');
}

const many = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('The value must be a whole number above 0.');
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90`, `90s`, `15m`, `12h` or `7d`, in seconds. */
export function duration(text: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 90s, 15m, 12h or 7d.');
  return Number(count) * (SECONDS[unit] as number);
}

const SIZES: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** `500`, `20M` or `1G` bytes. */
export function size(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([KMG])?B?$/i.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 500K, 20M or 1G.');
  return Math.round(Number(count) * (SIZES[unit.toUpperCase()] as number));
}

/** Examples below the help of a command. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ bucketware ${line}`).join('\n')}`;

/** Options of commands that transfer files. */
export const transferOptions = (of: Command): Command =>
  of
    .option('-n, --dry-run', 'only show what would be done')
    .option('-v, --verbose', 'print each processed file')
    .option('-c, --concurrency <count>', 'how many files at a time (default: 16)', wholeNumber);

/** Options of commands that upload. */
export const headerOptions = (of: Command): Command =>
  of
    .option('--content-type <type>', 'type of uploaded files (default: by file name)')
    .option('--cache-control <value>', 'stored with uploaded files')
    .option('--metadata <name=value>', 'stored with uploaded files; repeatable', many);
