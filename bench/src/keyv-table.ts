/** A row of the result. */
export interface Row {
  readonly benchmark: string;
  readonly what: string;
  readonly ours: string;
  /** The result of the comparison, measured in the same run. */
  readonly against: string;
  readonly ratio?: number;
  readonly target: string;
  /** Absent if there is no target. */
  readonly met?: boolean;
}

const HEADINGS = ['benchmark', 'what', 'ours', 'against', 'ratio', 'target', 'met'];

/** Formats the rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] as string).length)),
  );
  const text = lines.map((line) => join(line.map((cell, at) => cell.padEnd(widths[at] as number))));
  text.splice(1, 0, join(widths.map((width) => '-'.repeat(width))));
  return text.join('\n');
}

const join = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const cells = ({ benchmark, what, ours, against, ratio, target, met }: Row): string[] => [
  benchmark,
  what,
  ours,
  against,
  ratio === undefined ? '' : ratio.toFixed(2),
  target,
  met === undefined ? '' : met ? 'yes' : 'NO',
];

export const perSecond = (rate: number): string => `${Math.round(rate)}/s`;
export const milliseconds = (time: number): string => `${time.toFixed(1)} ms`;
