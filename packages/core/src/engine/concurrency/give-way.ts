import { setImmediate } from 'node:timers/promises';

/** Milliseconds that all such work has together until everything else has its turn. */
const TURN_MS = 5;

/** Resolves when the work goes on; undefined while there is time for it. */
export type GiveWay = () => Promise<void> | undefined;

/** When the turn of such work began. Undefined: nothing of the kind runs. */
let since: number | undefined;

/** What waits for a turn. Whoever has begun goes first, as it holds what it has read so far. */
const begun: (() => void)[] = [];
const beginning: (() => void)[] = [];

/**
 * For work that may go on for long without waiting for anything, as drivers may answer at once.
 * Call it before each step: it gives way to everything else when all such work together has had its
 * time. Many requests that each take little would else keep the others waiting as one long one does.
 */
export function givingWay(): GiveWay {
  let queue = beginning;
  return () => {
    const turn = hasTime() ? undefined : turnIn(queue);
    queue = begun;
    return turn;
  };
}

/** Gives way in any case, for work between whose steps much time has passed. */
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

/** Lets those who wait go on one by one, for as long as there is time. */
function goOn(): void {
  if (!hasTime()) return;
  const resume = begun.shift() ?? beginning.shift();
  if (resume === undefined) return;
  resume();
  // It goes on in microtasks. A tick that one of them asks for comes when all of them are done.
  queueMicrotask(() => process.nextTick(goOn));
}
