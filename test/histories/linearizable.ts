/** One call and its answer, with the instants of both. */
export interface Event<Input, Output> {
  readonly input: Input;
  /** Undefined: nobody knows whether it happened, nor how it ended. */
  readonly output: Output | undefined;
  readonly called: number;
  /** Without an output: when it can no longer happen; `Infinity` when that is not known. */
  readonly answered: number;
}

/** What a thing does, one call after another. States are texts, so that they can be compared. */
export interface Model<Input, Output> {
  readonly initial: string;
  /** The state after a call, or undefined when the answer is not one that the state allows. */
  step(state: string, input: Input, output: Output | undefined): string | undefined;
}

export interface Verdict {
  readonly ok: boolean;
  /** States that were looked at. */
  readonly looked: number;
  /** The most events that could be placed: what stands in the way comes next. */
  readonly placed: number;
}

/**
 * Wing and Gong's search: is there an order of all events, each at an instant between its call and
 * its answer, that the model allows? What was found to lead nowhere is remembered by the set of
 * events that are placed and the state. Events without an output may be left out.
 */
export function isLinearizable<I, O>(events: readonly Event<I, O>[], model: Model<I, O>): Verdict {
  const sorted = [...events].sort((a, b) => a.called - b.called);
  const placed = new Uint8Array(sorted.length);
  const seen = new Set<string>();
  const isOptional = ({ output }: Event<I, O>) => output === undefined;
  const wanted = sorted.filter((event) => !isOptional(event)).length;
  let looked = 0;
  let most = 0;

  /** All events before `first` are placed or left out; one was called at `latest`, none later. */
  const search = (state: string, from: number, latest: number, left: number): boolean => {
    if (left === 0) return true;
    let first = from;
    while (placed[first] || isLeftOut(sorted[first] as Event<I, O>, latest)) first++;
    const key = `${first} ${placed.subarray(first, placed.lastIndexOf(1) + 1).join('')} ${state}`;
    if (seen.has(key)) return false;
    seen.add(key);
    looked++;
    most = Math.max(most, wanted - left);
    let earliest = Number.POSITIVE_INFINITY;
    for (let at = first; at < sorted.length; at++) {
      const event = sorted[at] as Event<I, O>;
      // Whatever was called after another one had been answered comes behind it.
      if (event.called > earliest) break;
      if (placed[at] || isLeftOut(event, latest)) continue;
      const optional = isOptional(event);
      if (!optional) earliest = Math.min(earliest, event.answered);
      const next = model.step(state, event.input, event.output);
      if (next === undefined) continue;
      placed[at] = 1;
      const later = Math.max(latest, event.called);
      if (search(next, first, later, left - (optional ? 0 : 1))) return true;
      placed[at] = 0;
    }
    return false;
  };
  const isLeftOut = (event: Event<I, O>, latest: number): boolean =>
    isOptional(event) && event.answered < latest;
  const ok = search(model.initial, 0, 0, wanted);
  return { ok, looked, placed: ok ? wanted : most };
}
