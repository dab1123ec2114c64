import type { Series } from '../run/rounds.js';
import type { Result } from '../scenarios/scenario.js';
import { middleOf, show, spreadOf } from './figures.js';
import type { Report } from './shape.js';
import type { TargetRow } from './targets.js';

type Row = readonly string[];

/** The report as a part of a document. */
export function markdown({ about, targets, results, absent }: Report): string {
  const measured = targets.filter(({ met }) => met !== undefined);
  const sections = [
    about.map((line) => `- ${line}`).join('\n'),
    measured.length > 0 &&
      `### Targets\n\n${table(['What', 'Target', 'Measured', 'Met'], measured.map(targetRow))}`,
    ...sideBySide('### Small objects', results, 'requests/s'),
    ...sideBySide('### Large objects', results, 'bytes/s'),
    ...oneByOne('### Times', results, 'ms'),
    ...memory(results),
    ...notMeasured(results, absent),
  ];
  return `${sections.filter((text) => text !== false && text !== '').join('\n\n')}\n`;
}

function targetRow({ what, target, measured, met, margin = 0 }: TargetRow): Row {
  const far = `${Math.abs(margin) < 10 ? Math.abs(margin).toFixed(1) : Math.round(Math.abs(margin))}%`;
  return [what, target, measured, met ? `yes, by ${far}` : `**no**, by ${far}`];
}

/** A table with servers in rows and results in columns. */
function sideBySide(heading: string, all: readonly Result[], unit: Result['unit']): string[] {
  const results = all.filter((result) => result.unit === unit);
  const servers = serversOf(results);
  if (servers.size === 0) return [];
  const rows = [...servers].map(([name, title]) => [
    title,
    ...results.map(({ series }) =>
      cell(
        unit,
        series.find((one) => one.name === name),
      ),
    ),
  ]);
  return [`${heading}\n\n${table(['', ...results.map(headingOf)], rows)}`];
}

const headingOf = ({ title }: Result): string => title.replace(', ', ',<br>');

function serversOf(results: readonly Result[]): Map<string, string> {
  return new Map(
    results.flatMap(({ series }) => series.map(({ name, title }) => [name, title] as const)),
  );
}

function cell(unit: Result['unit'], series: Series | undefined): string {
  if (series === undefined) return '';
  const middle = middleOf(series);
  if (middle === undefined) return 'failed';
  const spread = spreadOf(series);
  return `${show(unit, middle)}${spread === undefined ? '' : ` ±${Math.round(spread)}%`}`;
}

function oneByOne(heading: string, all: readonly Result[], unit: Result['unit']): string[] {
  const rows = all
    .filter((result) => result.unit === unit)
    .flatMap(({ title, series }) =>
      series.map((one) => [`${title}: ${one.title}`, cell(unit, one)]),
    );
  return rows.length === 0 ? [] : [`${heading}\n\n${table(['What', 'Median'], rows)}`];
}

/** The results in the table. The others are only in the JSON. */
const SHOWN_PEAKS = ['get-1k', 'put-1k', 'get-512m', 'put-512m', 'multipart'];

/** The peak memory of all servers, and the results of the memory scenarios. */
function memory(results: readonly Result[]): string[] {
  const withPeaks = results.filter(
    ({ name, series }) => SHOWN_PEAKS.includes(name) && series.some((one) => one.peakMemory),
  );
  const own = results.filter(({ unit }) => unit === 'bytes');
  const servers = serversOf([...withPeaks, ...own]);
  if (servers.size === 0) return [];
  const measured = [...withPeaks, ...own];
  const rows = [...servers].map(([name, title]) => [
    title,
    ...measured.map(({ unit, series }) => {
      const one = series.find((other) => other.name === name);
      const bytes = one && (unit === 'bytes' ? middleOf(one) : one.peakMemory);
      return bytes === undefined ? '' : show('bytes', bytes);
    }),
  ]);
  return [`### Peak memory\n\n${table(['', ...measured.map(headingOf)], rows)}`];
}

function notMeasured(results: readonly Result[], absent: ReadonlyMap<string, string>): string[] {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
  const lines = [
    ...[...absent].map(([name, reason]) => `- ${name}: ${oneLine(reason)}`),
    ...results.flatMap(({ title, series }) =>
      series
        .filter(({ failure }) => failure !== undefined)
        .map((one) => `- ${title}, ${one.title}: ${oneLine(one.failure ?? '')}`),
    ),
  ];
  return lines.length === 0 ? [] : [`### Not measured\n\n${lines.join('\n')}`];
}

function table(headings: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}
