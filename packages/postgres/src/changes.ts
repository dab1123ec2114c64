import { type Change, encodeKey, encodeValue } from '@bucketware/core/contracts';

/** A change in the form that the database takes, with each of its keys once. */
export interface Request {
  readonly steps: readonly Step[];
  readonly bytes: number;
}

export interface Step {
  /** Different for different keys. */
  readonly name: string;
  readonly key: Buffer;
  /** A version; `0`: the key must be absent; `-1`: anything. */
  readonly expected: string;
  readonly action: 'put' | 'delete' | 'keep';
  readonly value: Buffer;
}

const NOTHING = Buffer.alloc(0);
const ABSENT = '0';
const ANYTHING = '-1';

/** The form of our versions: a number of the sequence, from 1 on. */
const VERSION = /^[1-9]\d{0,17}$/;

/**
 * Throws a TypeError for an invalid change. Undefined: the expectations can never hold, because
 * they name two versions of one key, or one that was never used.
 */
export function toRequest({
  expect = [],
  put = [],
  delete: removed = [],
}: Change): Request | undefined {
  const steps = new Map<string, Step>();
  let isPossible = true;
  const act = (
    key: string,
    action: Step['action'],
    value: Buffer,
    expected = steps.get(key)?.expected ?? ANYTHING,
  ): void => void steps.set(key, { name: key, key: encodeKey(key), expected, action, value });
  for (const { key, version = ABSENT } of expect) {
    const known = steps.get(key);
    isPossible &&=
      (version === ABSENT || VERSION.test(version)) && (known?.expected ?? version) === version;
    act(key, 'keep', NOTHING, version);
  }
  for (const key of removed) act(key, 'delete', NOTHING);
  // A key that is both deleted and put is put.
  for (const { key, value } of put) act(key, 'put', encodeValue(value));
  if (!isPossible) return undefined;
  const all = [...steps.values()];
  return {
    steps: all,
    bytes: all.reduce((sum, { key, value }) => sum + key.length + value.length, 0),
  };
}
