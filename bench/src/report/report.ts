import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Result } from '../scenarios/scenario.js';
import { peerVersions } from '../servers/install.js';
import { chart } from './chart.js';
import { markdown } from './markdown.js';
import type { Report } from './shape.js';
import { compareTargets } from './targets.js';

export interface RunConditions {
  readonly generator: string;
  readonly rounds: number;
  readonly fewRounds: number;
  /** The load of the machine before anything was measured. */
  readonly loadBefore: number;
  readonly minutes: number;
  readonly quick: boolean;
  readonly note: string | undefined;
}

export function makeReport(
  results: readonly Result[],
  absent: ReadonlyMap<string, string>,
  conditions: RunConditions,
): Report {
  return { about: aboutOf(conditions), targets: compareTargets(results), results, absent };
}

const QUICK = '**This was a quick run with small sizes. It shows only that everything works.**';

function aboutOf(conditions: RunConditions): string[] {
  const { generator, rounds, fewRounds, loadBefore, minutes, quick, note } = conditions;
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const busy = `The load average was ${loadBefore.toFixed(1)} before the run.`;
  return [
    ...(note === undefined ? [] : [`**${note}**`]),
    ...(quick ? [QUICK] : []),
    `Measured on ${new Date().toISOString().slice(0, 10)} at commit \`${commit()}\`, in ${minutes.toFixed(0)} minutes.`,
    `${cpus().length} cores (${cpu?.model.trim()}), ${memory} GiB of memory, ${type()} ${release()}, Node ${process.versions.node}. ${busy}`,
    `Load generator: ${generator}. Rounds: ${rounds} in most scenarios with a target, ${fewRounds} in most others. Servers from npm: ${peerVersions()}.`,
  ];
}

/** The commit of the working tree, if it is in a repository. */
function commit(): string {
  try {
    const args = ['describe', '--always', '--dirty'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/**
 * Writes the JSON, the chart and the Markdown. In a document with the two markers, it replaces only
 * the text between them. `readme` is a document with the same markers, for the chart.
 */
export function writeReport(report: Report, folder: string, readme?: string): void {
  mkdirSync(folder, { recursive: true });
  const { absent, ...plain } = report;
  const json = { ...plain, absent: Object.fromEntries(absent) };
  writeFileSync(join(folder, 'performance.json'), `${JSON.stringify(json, undefined, 1)}\n`);
  writeFileSync(join(folder, 'performance.svg'), chart(report.results));
  const path = join(folder, 'performance.md');
  const picture = '![Throughput of all servers](performance.svg)';
  const text = `${BEGIN}\n${picture}\n\n${markdown(report)}${END}`;
  writeFileSync(path, between(textOf(path) ?? `${BEGIN}\n${END}\n`, text));
  if (readme === undefined) return;
  const link = `![Throughput of all servers](${relative(dirname(readme), folder)}/performance.svg)`;
  writeFileSync(readme, between(textOf(readme) ?? '', `${BEGIN}\n${link}\n${END}`));
}

function between(document: string, text: string): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document lacks ${BEGIN} or ${END}.`);
  return document.slice(0, from) + text + document.slice(to + END.length);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
