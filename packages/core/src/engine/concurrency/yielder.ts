import { setImmediate } from 'node:timers/promises';

/**
 * How long all tasks of this kind together may run before other work gets a turn, in milliseconds.
 */
const TURN_MS = 5;

/**
 * Returns a promise that resolves when the work may continue; `undefined` if it may continue at
 * once.
 */
export type YieldIfDue = () => Promise<void> | undefined;

/** When their turn began; `undefined` if none is running. */
let since: number | undefined;

/**
 * Work that waits for a turn. Started work and new work alternate: started work holds memory for
 * what it has read, and new work must not wait for as long as clients keep sending.
 */
const begun: (() => void)[] = [];
const beginning: (() => void)[] = [];
let isForBegun = true;

/**
 * For work that may run long without ever waiting, because drivers may return immediately. Call the
 * result before each step: it yields when all such work together has used up its time. Otherwise
 * many small requests would block others as one long request does.
 */
export function createYielder(): YieldIfDue {
  let queue = beginning;
  return () => {
    const turn = hasTime() ? undefined : turnIn(queue);
    queue = begun;
    return turn;
  };
}

/** Always yields. For work whose steps take long. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
  if (!hasTime()) await turnIn(begun);
}

const turnIn = (queue: (() => void)[]): Promise<void> =>
  new Promise((resolve) => queue.push(resolve));

function hasTime(): boolean {
  if (since !== undefined) return performance.now() - since < TURN_MS;
  since = performance.now();
  setImmediate().then(takeTurn);
  return true;
}

function takeTurn(): void {
  since = undefined;
  if (begun.length + beginning.length === 0) return;
  hasTime();
  goOn();
}

/** Lets waiting work continue, one at a time, while there is time. */
function goOn(): void {
  if (!hasTime()) return;
  const [first, second] = isForBegun ? [begun, beginning] : [beginning, begun];
  isForBegun = !isForBegun;
  const resume = first.shift() ?? second.shift();
  if (resume === undefined) return;
  resume();
  // Work continues in microtasks. A tick that one of them schedules runs after all of them.
  queueMicrotask(() => process.nextTick(goOn));
}
