import { type Change, encodeKey, encodeValue } from '@bucketware/core/contracts';

/** A change as arguments of the commit function, with each of its keys once. */
export interface Request {
  readonly steps: readonly Step[];
  readonly bytes: number;
}

export interface Step {
  /** Different for different keys. */
  readonly name: string;
  readonly key: Buffer;
  /** The version that the key must have. `0`: it must be absent. `-1`: no expectation. */
  readonly expected: string;
  readonly action: 'put' | 'delete' | 'keep';
  readonly value: Buffer;
}

const NOTHING = Buffer.alloc(0);
const ABSENT = '0';
const ANYTHING = '-1';

/** Versions are numbers of a sequence that starts at 1. */
const VERSION = /^[1-9]\d{0,17}$/;

/**
 * Returns `undefined` for expectations that can never hold, because they name two versions of one
 * key, or one that cannot exist. Throws a `TypeError` for an invalid change.
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
