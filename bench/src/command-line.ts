import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Names of scenarios. Empty: all. */
  readonly only: readonly string[];
  /** Names of servers. Empty: all that can be started here. */
  readonly servers: readonly string[];
  /** One short round with small sizes: shows that everything works. */
  readonly quick: boolean;
  readonly rounds: number | undefined;
  /** Without the servers that npm installs for a comparison. */
  readonly noPeers: boolean;
  /** Where the report is written. Undefined: docs/ after a complete run, nowhere after others. */
  readonly out: string | undefined;
  /** Stands above the figures. */
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

/** Throws for options that it does not know. Undefined: only the names are wanted. */
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
    throw new Error('--rounds is a whole number above 0.');
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
