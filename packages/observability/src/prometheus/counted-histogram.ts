import { Histogram, type HistogramConfiguration } from 'prom-client';
import type { Buckets } from './buckets.js';

type Label = 'dialect' | 'operation' | 'le';
type Exported = Awaited<ReturnType<Histogram<Label>['get']>>;

/** The type declarations of prom-client expect a number here, but its code uses this name. */
const HISTOGRAM = 'histogram' as unknown as Exported['type'];

/** The values for one set of labels. */
interface Row {
  readonly labels: Readonly<Record<'dialect' | 'operation', string>>;
  readonly buckets: Buckets;
}

/** A histogram whose values are counted elsewhere. */
export class CountedHistogram extends Histogram<Label> {
  readonly #name: string;
  readonly #help: string;
  readonly #rows: () => readonly Row[];

  constructor(configuration: HistogramConfiguration<Label>, rows: () => readonly Row[]) {
    super(configuration);
    this.#name = configuration.name;
    this.#help = configuration.help;
    this.#rows = rows;
  }

  override async get(): Promise<Exported> {
    return {
      name: this.#name,
      help: this.#help,
      type: HISTOGRAM,
      aggregator: 'sum',
      collect: () => {},
      values: this.#rows().flatMap(({ labels, buckets }) => [
        ...buckets.cumulative().map(({ le, count }) => ({
          metricName: `${this.#name}_bucket`,
          labels: { ...labels, le },
          value: count,
        })),
        { metricName: `${this.#name}_sum`, labels, value: buckets.sum },
        { metricName: `${this.#name}_count`, labels, value: buckets.count },
      ]),
    };
  }

  /** prom-client calls this method, if it exists, for its text output. */
  getForPromString(): Promise<Exported> {
    return this.get();
  }
}
