import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readCommandLine, USAGE } from './command-line.js';
import { findGenerator } from './load/generator.js';
import { markdown } from './report/markdown.js';
import { makeReport, writeReport } from './report/report.js';
import { messageOf, within } from './run/rounds.js';
import { scenarios } from './scenarios/index.js';
import type { Result } from './scenarios/scenario.js';
import { KINDS, Pool } from './servers/pool.js';
import { FULL, QUICK } from './settings.js';

/** In milliseconds. A scenario that takes longer is abandoned, and the next one starts. */
const TIMEOUT = 10 * 60_000;
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const README = fileURLToPath(new URL('../../README.md', import.meta.url));

const commandLine = readOptions();
const { only, servers, quick, rounds, noPeers, out, note } = commandLine;
const settings = { ...(quick ? QUICK : FULL), ...(rounds && { rounds, fewRounds: rounds }) };
const chosen = scenarios.filter(({ name }) => only.length === 0 || only.includes(name));

const began = performance.now();
const loadBefore = loadavg()[0] ?? 0;
const { name: generator, generate } = await findGenerator();
const pool = await Pool.open({ servers, noPeers });
for (const [name, reason] of pool.absent) say(`${name}: ${reason}`);

const results: Result[] = [];
let failed = false;
for (const { name, run } of chosen) {
  say(`${clock()} ${name}`);
  try {
    results.push(...(await within(TIMEOUT, run({ pool, settings, generate }))));
  } catch (error) {
    failed = true;
    say(`${name} failed: ${messageOf(error)}`);
  }
}
await pool.close();

const minutes = (performance.now() - began) / 60_000;
const { rounds: full, fewRounds } = settings;
const circumstances = { generator, rounds: full, fewRounds, loadBefore, minutes, quick, note };
const report = makeReport(results, pool.absent, circumstances);
const complete = only.length + servers.length === 0 && !quick && !noPeers && !failed;
const folder = out ?? (complete ? DOCS : undefined);
if (folder !== undefined) {
  writeReport(report, folder, folder === DOCS ? README : undefined);
  say(`The report is in ${folder}.`);
}
console.log(markdown(report));
// Abandoned scenarios would keep the process running. A failure of the storage fails the run.
process.exit(failed || oursFailed() ? 1 : 0);

function oursFailed(): boolean {
  return results.some(({ series }) =>
    series.some(
      ({ name, failure }) =>
        failure !== undefined &&
        KINDS.every((kind) => kind.name !== name || kind.needs === undefined),
    ),
  );
}

function readOptions() {
  try {
    const options = readCommandLine(process.argv.slice(2));
    if (options) {
      checkNames('scenario', options.only, scenarios);
      checkNames('server', options.servers, KINDS);
      return options;
    }
    console.log(`Scenarios: ${namesOf(scenarios)}\nServers: ${namesOf(KINDS)}`);
    process.exit(0);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${USAGE}`);
    process.exit(1);
  }
}

function checkNames(what: string, names: readonly string[], all: readonly { name: string }[]) {
  const unknown = names.find((name) => all.every((one) => one.name !== name));
  if (unknown !== undefined) throw new Error(`There is no ${what} ${unknown}: ${namesOf(all)}.`);
}

function namesOf(all: readonly { name: string }[]): string {
  return all.map(({ name }) => name).join(', ');
}

function say(text: string): void {
  console.error(text);
}

function clock(): string {
  const seconds = Math.round((performance.now() - began) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
