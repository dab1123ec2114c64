/** Counts values by size. Much cheaper than a lookup in a labelled histogram for each value. */
export class Buckets {
  readonly #bounds: readonly number[];
  /** The number of values in each bucket that do not fit into a smaller one. */
  readonly #counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.count++;
    this.sum += value;
    const bounds = this.#bounds;
    for (let at = 0; at < bounds.length; at++) {
      if (value > (bounds[at] as number)) continue;
      this.#counts[at] = (this.#counts[at] as number) + 1;
      return;
    }
  }

  /** For each bound, the number of values up to and including it. */
  cumulative(): readonly { readonly le: number | string; readonly count: number }[] {
    let count = 0;
    const rows = this.#bounds.map((le, at) => {
      count += this.#counts[at] as number;
      return { le, count };
    });
    return [...rows, { le: '+Inf', count: this.count }];
  }
}
