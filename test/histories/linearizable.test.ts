import test from 'ava';
import fc from 'fast-check';
import { happened, type Input, type ObjectEvent, objectModel, sizeOf } from './objects.js';

const event = (
  called: number,
  answered: number,
  input: Input,
  output: string | undefined = 'ok',
): ObjectEvent => ({ called, answered, input, output });

/** A call that never got a response. */
const unanswered = (called: number, end: number, input: Input): ObjectEvent => ({
  ...event(called, end, input),
  output: undefined,
});

const put = (content: string): Input => ({ kind: 'put', type: 'A', content });
const append = (offset: number, content: string): Input => ({ kind: 'append', offset, content });
const get: Input = { kind: 'get' };
const never = Number.POSITIVE_INFINITY;
const check = (...events: ObjectEvent[]) => happened(events).ok;

test('a history that is consistent with some order is accepted', (t) => {
  t.true(check(event(0, 9, put('a.1;')), event(1, 8, put('b.1;')), event(10, 11, get, '=a.1;')));
  t.true(check(event(0, 9, put('a.1;')), event(1, 2, get, '=a.1;'), event(3, 4, get, '=a.1;')));
  t.true(check(event(0, 9, put('a.1;')), event(1, 2, get, 'NoSuchKey')));
});

test('a lost update is detected', (t) => {
  const first = [
    event(0, 1, put('')),
    event(2, 9, append(0, 'x.1;')),
    event(2, 9, append(0, 'y.1;')),
  ];
  t.false(check(...first, event(10, 11, get, '=x.1;')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, put('b.1;')), event(4, 5, get, '=a.1;')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, get, 'NoSuchKey')));
});

test('a value that goes back, or was never written, is detected', (t) => {
  const write = event(0, 9, put('a.1;'));
  t.false(check(write, event(1, 2, get, '=a.1;'), event(3, 4, get, 'NoSuchKey')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, put('b.1;')), event(4, 5, get, '=a.1;b.1;')));
});

test('a call without a response may have taken effect at once, later or never, but not twice', (t) => {
  const first = event(0, 1, put(''));
  const unknown = unanswered(2, never, append(0, 'x.1;'));
  t.true(check(first, unknown, event(3, 4, get, '=x.1;')));
  t.true(check(first, unknown, event(3, 4, get, '=')));
  t.true(check(first, unknown, event(3, 4, get, '='), event(5, 6, get, '=x.1;')));
  t.false(check(first, unknown, event(3, 4, get, '=x.1;'), event(5, 6, get, '=')));
  t.false(check(first, unknown, event(3, 4, get, '=x.1;x.1;')));
  // The server that might have done it was gone by 4.
  const gone = unanswered(2, 4, append(0, 'x.1;'));
  t.false(check(first, gone, event(5, 6, get, '='), event(7, 8, get, '=x.1;')));
});

test('a long history of many clients is checked quickly', (t) => {
  const events: ObjectEvent[] = [event(0, 1, put(''))];
  for (let at = 0; at < 900; at++) {
    const called = 2 + at - (at % 16) * 0.5;
    events.push(event(called, 3 + at, append(at, 'z.1;')));
  }
  const { ok, looked } = happened(events);
  t.true(ok);
  t.true(looked < 20_000, String(looked));
});

/** The same numbers between 0 and 1 for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Tries every order of every subset. */
function happenedByTrial(
  events: readonly ObjectEvent[],
  state = objectModel.initial,
  now = 0,
): boolean {
  const required = events.filter(({ output }) => output !== undefined);
  if (required.length === 0) return true;
  return events.some((one) => {
    const at = Math.max(now, one.called);
    if (at > one.answered || required.some((other) => other.answered < at)) return false;
    const next = objectModel.step(state, one.input, one.output);
    const rest = events.filter((other) => other !== one);
    return next !== undefined && happenedByTrial(rest, next, at);
  });
}

const inputs = fc.constantFrom<Input>(
  ...[put('a.1;'), put('b.1;'), put('c.2;'), { kind: 'put', type: 'N', content: 'n.1;' } as const],
  ...[append(1, 'x.1;'), append(1, 'y.1;'), append(2, 'z.2;'), get],
  ...([{ kind: 'delete' }, { kind: 'move away' }] as const),
);
const outputs = fc.constantFrom(
  ...[undefined, undefined, 'ok', 'ok', 'ok', 'NoSuchKey', 'OffsetIncorrect', '=a.1;'],
  ...['=a.1;x.1;', '=b.1;', '=n.1;'],
);
const lengths = fc.oneof(fc.nat(6), fc.constant(never));
const histories = fc.array(
  fc
    .record({ input: inputs, output: outputs, called: fc.nat(9), length: lengths })
    .map(({ length, ...rest }): ObjectEvent => ({ ...rest, answered: rest.called + length })),
  { maxLength: 6 },
);

test('the search finds the same as a trial of all orders', (t) => {
  let happenings = 0;
  fc.assert(
    fc.property(histories, (events) => {
      const truth = happenedByTrial(events);
      if (truth) happenings++;
      t.is(happened(events).ok, truth, JSON.stringify(events));
    }),
    { numRuns: 5000, endOnFailure: true },
  );
  t.true(happenings > 100, String(happenings));
});

/** A valid history of one object whose server fails half of the time. */
function historyWithOutages(seed: number, length: number): ObjectEvent[] {
  const random = randomNumbers(seed);
  const events: ObjectEvent[] = [];
  let state = objectModel.initial;
  for (let at = 0; at < length; at++) {
    const content = `c-${at}.${random() < 0.5 ? 40 : 40 + Math.floor(random() * 500)};`;
    const offset = random() < 0.5 ? sizeOf(state) : 40;
    const normal = { kind: 'put', type: 'N', content } as const;
    const input = [
      ...[normal, normal, normal, normal, put(content), { kind: 'delete' } as const],
      ...[append(offset, content), append(offset, content), append(offset, content)],
      ...[get, get, get, { kind: 'move away' } as const],
    ][Math.floor(random() * 13)] as Input;
    const isOutage = at % 50 > 25;
    if (isOutage && input.kind !== 'get') events.push(unanswered(at, at + 200, input));
    if (isOutage && random() < 0.9) continue;
    const answers = [
      'ok',
      `=${state.slice(1)}`,
      'NoSuchKey',
      'ObjectUnappendable',
      'OffsetIncorrect',
    ];
    const next = (answer: string) => objectModel.step(state, input, answer);
    const answer = answers.find((one) => next(one) !== undefined) as string;
    state = next(answer) as string;
    if (!isOutage) events.push(event(at - random() * 2, at + random() * 2, input, answer));
  }
  return events;
}

test('a history with many unanswered calls is checked in few states', (t) => {
  for (let seed = 1; seed <= 12; seed++) {
    const { ok, looked } = happened(historyWithOutages(seed, 500));
    t.true(ok, `seed ${seed}`);
    t.true(looked < 50_000, `seed ${seed}: ${looked}`);
  }
});
