type Cell = string | number;

export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const counts = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .map(([status, times]) => `${times} x ${status}`)
    .join(', ') || 'none';

export const number = (value: number): string => value.toLocaleString('en-US');

/** What went wrong, with examples from the run. */
export const examples = (rows: readonly { readonly examples: readonly string[] }[]): string => {
  const lines = [...new Set(rows.flatMap((row) => row.examples))].filter((line) => /\w/.test(line));
  if (lines.length === 0) return '';
  const first = lines.slice(0, 6);
  return `\nErrors in these runs:\n\n${first.map((line) => `- \`${line.replaceAll('`', "'")}\``).join('\n')}\n`;
};
