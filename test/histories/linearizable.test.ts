import test from 'ava';
import { isLinearizable } from './linearizable.js';
import { type Input, type ObjectEvent, objectModel } from './objects.js';

const event = (
  called: number,
  answered: number,
  input: Input,
  output: string | undefined = 'ok',
): ObjectEvent => ({ called, answered, input, output });

/** A call that was never answered. */
const unanswered = (called: number, end: number, input: Input): ObjectEvent => ({
  ...event(called, end, input),
  output: undefined,
});

const put = (content: string): Input => ({ kind: 'put', type: 'A', content });
const append = (offset: number, content: string): Input => ({ kind: 'append', offset, content });
const get: Input = { kind: 'get' };
const never = Number.POSITIVE_INFINITY;
const check = (...events: ObjectEvent[]) => isLinearizable(events, objectModel).ok;

test('a history that happened in some order is accepted', (t) => {
  t.true(check(event(0, 9, put('a.1;')), event(1, 8, put('b.1;')), event(10, 11, get, '=a.1;')));
  t.true(check(event(0, 9, put('a.1;')), event(1, 2, get, '=a.1;'), event(3, 4, get, '=a.1;')));
  t.true(check(event(0, 9, put('a.1;')), event(1, 2, get, 'NoSuchKey')));
});

test('a lost update is refused', (t) => {
  const first = [
    event(0, 1, put('')),
    event(2, 9, append(0, 'x.1;')),
    event(2, 9, append(0, 'y.1;')),
  ];
  t.false(check(...first, event(10, 11, get, '=x.1;')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, put('b.1;')), event(4, 5, get, '=a.1;')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, get, 'NoSuchKey')));
});

test('a value that goes back, or was never written, is refused', (t) => {
  const write = event(0, 9, put('a.1;'));
  t.false(check(write, event(1, 2, get, '=a.1;'), event(3, 4, get, 'NoSuchKey')));
  t.false(check(event(0, 1, put('a.1;')), event(2, 3, put('b.1;')), event(4, 5, get, '=a.1;b.1;')));
});

test('what was not answered may have happened, or not, or later; but not twice', (t) => {
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

test('a long history of many clients is judged in no time', (t) => {
  const events: ObjectEvent[] = [event(0, 1, put(''))];
  for (let at = 0; at < 900; at++) {
    const called = 2 + at - (at % 16) * 0.5;
    events.push(event(called, 3 + at, append(at, 'z.1;')));
  }
  const { ok, looked } = isLinearizable(events, objectModel);
  t.true(ok);
  t.true(looked < 20_000, String(looked));
});
