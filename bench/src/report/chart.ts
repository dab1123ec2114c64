import type { Series } from '../run/rounds.js';
import type { Result } from '../scenarios/scenario.js';
import { middleOf, show } from './figures.js';

/** The results that are shown in the chart, in two columns. */
const PANELS = ['get-1k', 'put-1k', 'get-512m', 'put-512m'];
/** Not shown: the example with several processes, which is compared only with itself. */
const HIDDEN = /^cluster/;

const WIDTH = 880;
const GAP = 40;
const PANEL = (WIDTH - GAP) / 2;
const LABEL = 178;
const VALUE = 76;
const BAR = 14;
const LINE = 24;
const HEADING = 34;
const FOOT = 28;

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; }
  .heading { font-size: 14px; font-weight: 600; fill: #1f2328; }
  .ours { font-weight: 600; fill: #1f2328; }
  .bar { fill: #c3cad3; }
  .bar.ours { fill: #1f7a8c; }
  .spread { stroke: #57606a; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .heading, .ours { fill: #f0f6fc; }
    .bar { fill: #3d444d; }
    .bar.ours { fill: #4fb3c8; }
    .spread { stroke: #9198a1; }
  }`;

const NOTE =
  'Longer is better. nginx, s3rver, @tus/server and Azurite acknowledge a PUT before it is on the disk.';

/** A bar chart with a panel for each kind of work. It uses no special fonts and no background. */
export function chart(results: readonly Result[]): string {
  const panels = PANELS.flatMap((name) => results.filter((result) => result.name === name));
  let height = 0;
  const drawn: string[] = [];
  for (let at = 0; at < panels.length; at += 2) {
    const row = panels.slice(at, at + 2);
    row.forEach((result, column) => {
      drawn.push(
        `<g transform="translate(${column * (PANEL + GAP)} ${height})">${panel(result)}</g>`,
      );
    });
    height += Math.max(...row.map(heightOf));
  }
  const top = height + FOOT / 2;
  height += FOOT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>Throughput of Bucketware and of other servers; longer is better</title>
<style>${STYLE}
</style>
${drawn.join('\n')}
<text x="0" y="${top}">${NOTE}</text>
</svg>
`;
}

const shownOf = ({ series }: Result): Series[] =>
  series
    .filter((one) => !HIDDEN.test(one.name) && one.samples.length > 0)
    .toSorted((a, b) => (middleOf(b) ?? 0) - (middleOf(a) ?? 0));

const heightOf = (result: Result): number => HEADING + shownOf(result).length * LINE + FOOT;

function panel(result: Result): string {
  const series = shownOf(result);
  const most = Math.max(...series.flatMap(({ samples }) => samples));
  const scale = (value: number): number => (value / most) * (PANEL - LABEL - VALUE);
  const bars = series.map((one, at) => {
    const y = HEADING + at * LINE;
    const ours = one.name === 'koa' || one.name === 'express' ? ' ours' : '';
    const middle = middleOf(one) ?? 0;
    const [least, greatest] = [Math.min(...one.samples), Math.max(...one.samples)].map(scale);
    const center = y + BAR / 2;
    return [
      `<text class="label${ours}" x="${LABEL - 10}" y="${y + 11}" text-anchor="end">${escaped(one.title)}</text>`,
      `<rect class="bar${ours}" x="${LABEL}" y="${y}" width="${fixed(scale(middle))}" height="${BAR}" rx="2"/>`,
      `<path class="spread" d="M${fixed(LABEL + (least ?? 0))} ${center}H${fixed(LABEL + (greatest ?? 0))}"/>`,
      `<text class="value${ours}" x="${fixed(LABEL + (greatest ?? 0) + 8)}" y="${y + 11}">${show(result.unit, middle)}</text>`,
    ].join('');
  });
  return `<text class="heading" x="0" y="14">${escaped(result.title)}</text>\n${bars.join('\n')}`;
}

const fixed = (value: number): string => value.toFixed(1);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
