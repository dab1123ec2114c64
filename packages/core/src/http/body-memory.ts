import { tooMuchMemory } from '../engine/concurrency/memory-share.js';
import type { BodyTerms } from './structured-body.js';

/** Counts a chunk of a body whose length was not announced. Throws SlowDown. */
export type TakeChunk = (chunk: Uint8Array) => void;

/** Counts more bytes as memory of the caller until the response is sent. Throws SlowDown. */
export const requestMemory =
  ({ memory }: BodyTerms, name: string) =>
  (bytes: number): void => {
    if (!memory.take(bytes)) throw tooMuchMemory(name);
  };

/**
 * Counts a body as memory of the caller until the response is sent: what was parsed from it stays
 * in memory as long. Throws SlowDown when there is no room. `name` names such bodies in the plural,
 * for the message. `maxBytes` is the maximum number of bytes of a body that are ever kept.
 */
export function bodyMemory(terms: BodyTerms, name: string, maxBytes: number): TakeChunk {
  const { announced } = terms;
  const take = requestMemory(terms, name);
  // Otherwise each of many bodies would take some of the memory, and none could be completed.
  if (announced !== undefined) take(Math.min(announced, maxBytes));
  return (chunk) => {
    if (announced === undefined) take(chunk.length);
  };
}
