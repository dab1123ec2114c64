import { createHash } from 'node:crypto';
import type { RecordsState } from './simulated-records.js';

const numbers = new WeakMap<Uint8Array, number>();
const byText = new Map<string, number>();
let last = 0;

/** The same number for equal texts. */
export function numberOfText(text: string): number {
  const number = byText.get(text) ?? ++last;
  // A number that was dropped is never used again. Equal texts may then get different numbers, but
  // different texts never get the same one.
  if (byText.size > 50_000) byText.clear();
  byText.set(text, number);
  return number;
}

/** The same number for equal bytes in any buffer. The bytes must not change any more. */
export function numberOf(bytes: Uint8Array): number {
  let number = numbers.get(bytes);
  if (number !== undefined) return number;
  number = numberOfText(`bytes ${bytes.length < 64 ? textOf(bytes) : digestOf(bytes)}`);
  numbers.set(bytes, number);
  return number;
}

const states = new WeakMap<RecordsState, number>();
const entries = new WeakMap<object, number>();

/** The same number for equal records. */
export function numberOfRecords(state: RecordsState): number {
  let number = states.get(state);
  if (number !== undefined) return number;
  let text = `records ${state.lastVersion}`;
  for (const entry of state.entries) {
    const known = entries.get(entry) ?? numberOfText(JSON.stringify(entry));
    entries.set(entry, known);
    text += ` ${known}`;
  }
  number = numberOfText(text);
  states.set(state, number);
  return number;
}

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');
