import { median, type Series } from '../run/rounds.js';
import type { Result, Unit } from '../scenarios/scenario.js';

/** Formats a figure. Units of size are powers of 1,000, as for disks and networks. */
export const show = (unit: Unit, value: number): string => {
  switch (unit) {
    case 'requests/s':
      return `${Math.round(value).toLocaleString('en')}/s`;
    case 'bytes/s':
      return `${Math.round(value / 1e6).toLocaleString('en')} MB/s`;
    case 'ms':
      return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
    case 'bytes':
      return `${Math.round(value / 1e6)} MB`;
  }
};

export const middleOf = ({ samples }: Series): number | undefined =>
  samples.length === 0 ? undefined : median(samples);

/** Half of the difference between the smallest and the largest figure, in percent of the median. */
export function spreadOf({ samples }: Series): number | undefined {
  if (samples.length < 2) return undefined;
  const width = Math.max(...samples) - Math.min(...samples);
  return (50 * width) / median(samples);
}

/** The median of the ratios of each round, because it is the least sensitive to noise. */
export function ratioOf(result: Result | undefined, name: string, against: string) {
  const of = (which: string) => result?.series.find((one) => one.name === which)?.samples ?? [];
  const [ours, others] = [of(name), of(against)];
  const ratios = ours
    .slice(0, others.length)
    .map((sample, round) => sample / (others[round] as number));
  return ratios.length === 0 ? undefined : median(ratios);
}

/** The median of one series of a result. */
export function figureOf(result: Result | undefined, name: string): number | undefined {
  const series = result?.series.find((one) => one.name === name);
  return series && middleOf(series);
}
