import { createHash } from 'node:crypto';
import type { RecordsState } from './simulated-records.js';

const numbers = new WeakMap<Uint8Array, number>();
const byText = new Map<string, number>();
let last = 0;

/** The same number for the same text. */
export function numberOfText(text: string): number {
  const number = byText.get(text) ?? ++last;
  // Forgotten, a number does not come again: equals may then seem to differ, others never equal.
  if (byText.size > 50_000) byText.clear();
  byText.set(text, number);
  return number;
}

/** The same number for equal bytes, whoever holds them. The bytes must not change any more. */
export function numberOf(bytes: Uint8Array): number {
  let number = numbers.get(bytes);
  if (number !== undefined) return number;
  number = numberOfText(`bytes ${bytes.length < 64 ? textOf(bytes) : digestOf(bytes)}`);
  numbers.set(bytes, number);
  return number;
}

const states = new WeakMap<RecordsState, string>();
const entries = new WeakMap<object, string>();

/** The same text for equal records. */
export function digestOfRecords(state: RecordsState): string {
  let digest = states.get(state);
  if (digest !== undefined) return digest;
  const hash = createHash('md5');
  for (const entry of state.entries) {
    let text = entries.get(entry);
    if (text === undefined) {
      text = `${JSON.stringify(entry)}\n`;
      entries.set(entry, text);
    }
    hash.update(text);
  }
  digest = hash.update(String(state.lastVersion)).digest('hex');
  states.set(state, digest);
  return digest;
}

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');
