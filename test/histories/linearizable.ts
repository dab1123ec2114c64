/** A call and its result, with the times of both. */
export interface Event<Input, Output> {
  readonly input: Input;
  /** `undefined` if it is unknown whether it happened and how it ended. */
  readonly output: Output | undefined;
  readonly called: number;
  /**
   * For a call without an output: when it can no longer take effect. `Infinity` if that is not
   * known.
   */
  readonly answered: number;
}

/** A sequential specification. States are texts, so that they can be compared. */
export interface Model<Input, Output> {
  readonly initial: string;
  /** The state after a call; `undefined` if the state does not allow this output. */
  step(state: string, input: Input, output: Output | undefined): string | undefined;
  /** Whether a call with this output never changes the state. */
  isRead(input: Input, output: Output): boolean;
}

export interface Verdict {
  readonly ok: boolean;
  /** The number of examined states. */
  readonly looked: number;
  /** The highest number of events that could be placed. The next one is in the way. */
  readonly placed: number;
}

/** Far more than any history needs. */
const MOST_STATES = 2_000_000;

/**
 * The search by Wing and Gong: is there an order of all events, each at a moment between its call
 * and its result, that the model allows? Dead ends are remembered by state and placed events.
 *
 * Events without an output may be left out. An outage leaves dozens of them, too many to try all of
 * their subsets. So an event that changes nothing is never placed, the earliest of equal events
 * comes first, and a dead end is also one with fewer optional events left.
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
   * The dead ends: by state and required events, the sets of optional events that had been used.
   */
  const seen = new Map<string, bigint[]>();
  let [looked, most] = [0, 0];

  const eventAt = (at: number) => sorted[at] as Event<I, O>;
  /**
   * Whether an optional event can no longer happen, once one was placed that was called at
   * `latest`.
   */
  const isOver = (at: number, latest: number) => isOptional[at] && eventAt(at).answered < latest;

  /**
   * All events before `first` are placed or over. One of them was called at `latest`, none later.
   */
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

  /** Whether the same was tried before with at least as many optional events left. */
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
    // Optional events before the first required one can no longer be used.
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
    /** For equal events, the earliest end. */
    const equal = new Map<string, number>();
    let earliest = Number.POSITIVE_INFINITY;
    let firstToBeOver = Number.POSITIVE_INFINITY;
    for (let at = first; at < sorted.length; at++) {
      const { called, answered, input, output } = eventAt(at);
      // An event that was called after another one had its result comes after it.
      if (called > earliest) break;
      if (placed[at] || isOver(at, latest)) continue;
      const next = model.step(state, input, output);
      if (isOptional[at]) firstToBeOver = Math.min(firstToBeOver, answered);
      else earliest = Math.min(earliest, answered);
      // It fits, and makes no other event impossible: no other place is better.
      if (reads[at] && next !== undefined && called <= firstToBeOver) return [{ at, next }];
      const kind = kinds[at] as string;
      const before = equal.get(kind);
      if (next === undefined || (before !== undefined && before <= answered)) continue;
      equal.set(kind, answered);
      if (!isOptional[at]) required.push({ at, next });
      else if (next !== state) optional.push({ at, next });
    }
    // Most calls without a result had no effect, so they are tried last.
    return [...required, ...optional];
  };

  const ok = search(model.initial, 0, 0, wanted);
  return { ok, looked, placed: ok ? wanted : most };
}
