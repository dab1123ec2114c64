/** A call and its result, with the times of both. */
export interface Event<Input, Output> {
  readonly input: Input;
  /** `undefined` if it is unknown whether it happened and how it ended. */
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
  /** Whether a call with this answer leaves every state as it is. */
  isRead(input: Input, output: Output): boolean;
}

export interface Verdict {
  readonly ok: boolean;
  /** The number of examined states. */
  readonly looked: number;
  /** The most events that could be placed: what stands in the way comes next. */
  readonly placed: number;
}

/** Far more than any history needs. */
const MOST_STATES = 2_000_000;

/**
 * Wing and Gong's search: is there an order of all events, each at an instant between its call and
 * its answer, that the model allows? What was found to lead nowhere is remembered by the events
 * that are placed and the state.
 *
 * Events without an output may be left out. An outage leaves dozens of them, and not all of their
 * subsets can be tried: one that changes nothing is never placed, of equal events the earliest
 * comes first, and what leads nowhere does so as well with fewer of them to spare.
 */
export function isLinearizable<I, O>(events: readonly Event<I, O>[], model: Model<I, O>): Verdict {
  const sorted = [...events].sort((a, b) => a.called - b.called);
  const isOptional = sorted.map(({ output }) => output === undefined);
  const kinds = sorted.map(({ input, output }) => JSON.stringify([input, output]));
  const reads = sorted.map(
    ({ input, output }) => output !== undefined && model.isRead(input, output),
  );
  const placed = new Uint8Array(sorted.length);
  const wanted = isOptional.filter((optional) => !optional).length;
  /**
   * What was looked at: by state and required events, the sets of optional events that were spent.
   */
  const seen = new Map<string, bigint[]>();
  let [looked, most] = [0, 0];

  const eventAt = (at: number) => sorted[at] as Event<I, O>;
  /**
   * Whether an optional event can no longer happen, once one was placed that was called at
   * `latest`.
   */
  const isOver = (at: number, latest: number) => isOptional[at] && eventAt(at).answered < latest;

  /** All events before `first` are placed or over; one was called at `latest`, none later. */
  const search = (state: string, from: number, latest: number, left: number): boolean => {
    if (left === 0) return true;
    let first = from;
    while (placed[first] || isOver(first, latest)) first++;
    if (isHopeless(state, first, latest)) return false;
    if (++looked > MOST_STATES) throw new Error(`Undecided after ${MOST_STATES} states.`);
    most = Math.max(most, wanted - left);
    for (const { at, next } of stepsFrom(state, first, latest)) {
      placed[at] = 1;
      const later = Math.max(latest, eventAt(at).called);
      if (search(next, first, later, left - (isOptional[at] ? 0 : 1))) return true;
      placed[at] = 0;
    }
    return false;
  };

  /** Whether the same was looked at before with no fewer optional events to spare. */
  const isHopeless = (state: string, first: number, latest: number): boolean => {
    const end = placed.lastIndexOf(1);
    let required = '';
    let spent = 0n;
    let missing = first;
    while (isOptional[missing] || placed[missing]) missing++;
    for (let at = first; at <= end; at++) {
      if (!isOptional[at]) required += at >= missing ? placed[at] : '';
      else if (placed[at] || isOver(at, latest)) spent |= 1n << BigInt(at);
    }
    // Optional events before the first are spent.
    spent |= (1n << BigInt(first)) - 1n;
    const key = `${missing} ${required.replace(/0+$/, '')} ${state}`;
    const sets = seen.get(key) ?? [];
    if (sets.some((set) => (set & spent) === set)) return true;
    seen.set(key, [...sets.filter((set) => (set & spent) !== spent), spent]);
    return false;
  };

  interface Step {
    readonly at: number;
    /** The state after the event. */
    readonly next: string;
  }

  const stepsFrom = (state: string, first: number, latest: number): Step[] => {
    const required: Step[] = [];
    const optional: Step[] = [];
    /** Of equal events, when the earliest must have happened. */
    const equal = new Map<string, number>();
    let earliest = Number.POSITIVE_INFINITY;
    let firstToBeOver = Number.POSITIVE_INFINITY;
    for (let at = first; at < sorted.length; at++) {
      const { called, answered, input, output } = eventAt(at);
      // Whatever was called after another one had been answered comes behind it.
      if (called > earliest) break;
      if (placed[at] || isOver(at, latest)) continue;
      const next = model.step(state, input, output);
      if (isOptional[at]) firstToBeOver = Math.min(firstToBeOver, answered);
      else earliest = Math.min(earliest, answered);
      // It fits and makes no other event impossible: there is no better place.
      if (reads[at] && next !== undefined && called <= firstToBeOver) return [{ at, next }];
      const kind = kinds[at] as string;
      const before = equal.get(kind);
      if (next === undefined || (before !== undefined && before <= answered)) continue;
      equal.set(kind, answered);
      if (!isOptional[at]) required.push({ at, next });
      else if (next !== state) optional.push({ at, next });
    }
    // Most calls that were not answered did not happen: they are tried last.
    return [...required, ...optional];
  };

  const ok = search(model.initial, 0, 0, wanted);
  return { ok, looked, placed: ok ? wanted : most };
}
