import { setImmediate } from 'node:timers/promises';
import { tooBusy } from '../../errors.js';

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

interface Waiting {
  readonly resume: () => void;
  /** Whether the client has left meanwhile. */
  readonly isGone?: (() => boolean) | undefined;
}

/** Work of one kind that waits for a turn. */
interface Kind {
  readonly begun: Waiting[];
  readonly beginning: Waiting[];
}

/**
 * Started work and new work of each kind alternate: started work holds memory for what it has read,
 * and none must wait for as long as clients keep sending the others.
 */
const work: Kind = { begun: [], beginning: [] };
const heads: Kind = { begun: [], beginning: [] };
const queues = [work.begun, work.beginning, heads.begun, heads.beginning];
let next = 0;

/**
 * How many long heads may wait. Over HTTP/2, a client sends one with a few bytes, and each takes up
 * to some 40 KB.
 */
const MOST_HEADS = 1000;

/**
 * For work that may run long without ever waiting, because drivers may return immediately. Call the
 * result before each step: it yields when all such work together has used up its time. Otherwise
 * many small requests would block others as one long request does.
 */
export function createYielder(): YieldIfDue {
  return yielderOf(work);
}

/**
 * For the steps of reading a long head. Throws ServiceUnavailable when too many are waiting. When the
 * client has left, the wait ends at once.
 */
export function createHeadYielder(isGone: () => boolean): YieldIfDue {
  return yielderOf(heads, isGone);
}

function yielderOf({ beginning, begun }: Kind, isGone?: () => boolean): YieldIfDue {
  let queue = beginning;
  return () => {
    const turn = hasTime() ? undefined : turnIn(queue, isGone);
    queue = begun;
    return turn;
  };
}

/** Always yields. For work whose steps take long. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
  if (!hasTime()) await turnIn(work.begun);
}

function turnIn(queue: Waiting[], isGone?: () => boolean): Promise<void> {
  if (queue === heads.beginning) requireRoom(queue);
  return new Promise((resume) => queue.push({ resume, isGone }));
}

function requireRoom(queue: readonly Waiting[]): void {
  if (queue.length >= MOST_HEADS) resumeGone();
  if (queue.length < MOST_HEADS) return;
  throw tooBusy('Too many requests with long headers are waiting.');
}

function hasTime(): boolean {
  if (since !== undefined) return performance.now() - since < TURN_MS;
  since = performance.now();
  setImmediate().then(takeTurn);
  return true;
}

function takeTurn(): void {
  if (queues.every((queue) => queue.length === 0)) {
    since = undefined;
    return;
  }
  resumeGone();
  afterMicrotasks(() => {
    since = undefined;
    goOn();
  });
}

/**
 * Their requests end at once, so that they do not keep their memory. This does not count as time of
 * the others.
 */
function resumeGone(): void {
  for (const queue of [heads.begun, heads.beginning]) {
    const [gone, staying]: [Waiting[], Waiting[]] = [[], []];
    for (const waiting of queue) (waiting.isGone?.() ? gone : staying).push(waiting);
    if (gone.length === 0) continue;
    queue.splice(0, queue.length, ...staying);
    for (const { resume } of gone) resume();
  }
}

/** Lets waiting work continue, one at a time, while there is time. */
function goOn(): void {
  if (!hasTime()) return;
  const waiting = takeNext();
  if (waiting === undefined) return;
  waiting.resume();
  afterMicrotasks(goOn);
}

/** Work continues in microtasks. A tick that one of them schedules runs after all of them. */
const afterMicrotasks = (call: () => void): void => queueMicrotask(() => process.nextTick(call));

function takeNext(): Waiting | undefined {
  for (let tries = 0; tries < queues.length; tries++) {
    const waiting = queues[next]?.shift();
    next = (next + 1) % queues.length;
    if (waiting !== undefined) return waiting;
  }
  return undefined;
}
