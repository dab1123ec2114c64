import { parseArgs } from 'node:util';

export interface CommandLine {
  /** The names of scenarios to run. Empty: all. */
  readonly only: readonly string[];
  /** The names of servers to measure. Empty: all that can be started here. */
  readonly servers: readonly string[];
  /** Whether to run only one short round with small sizes, to check that everything works. */
  readonly quick: boolean;
  readonly rounds: number | undefined;
  /** Whether to omit the servers that npm installs for comparison. */
  readonly noPeers: boolean;
  /** The folder for the report. Default: docs/ after a complete run, otherwise none. */
  readonly out: string | undefined;
  /** A note that appears above the figures. */
  readonly note: string | undefined;
}

export const USAGE = `npm run bench -- [options]
  --only <names>     some scenarios, separated by commas, such as get-1k,put-1k
  --servers <names>  some servers, such as koa,bare
  --quick            one short round with small sizes, to see that everything works
  --rounds <n>       measured rounds of each scenario
  --no-peers         without the servers that npm installs for a comparison
  --out <folder>     write the report there: a complete run without this option writes to docs/
  --note <text>      a sentence above the figures
  --list             the names of scenarios and servers`;

/**
 * Parses the options. Returns `undefined` if only the names were requested. Throws for unknown
 * ones.
 */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      servers: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      'no-peers': { type: 'boolean', default: false },
      out: { type: 'string' },
      note: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  if (values.list) return undefined;
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new Error('--rounds must be a whole number above 0.');
  }
  return {
    only: namesIn(values.only),
    servers: namesIn(values.servers),
    quick: values.quick,
    rounds,
    noPeers: values['no-peers'],
    out: values.out,
    note: values.note,
  };
}

const namesIn = (text: string): string[] => text.split(',').filter((name) => name !== '');
