import { MemoryShare, tooMuchMemory } from '../engine/concurrency/memory-share.js';
import type { BodyTerms } from './structured-body.js';

/** The memory of a body that is kept until it is parsed. */
export interface BodyMemory {
  /** Counts a chunk of a body whose length was not announced. Throws SlowDown. */
  take(chunk: Uint8Array): void;
  release(): void;
}

/**
 * Counts a body as memory of the caller. `name`: such bodies in the plural, for the message of the
 * SlowDown that is thrown when there is no room. `maxBytes`: no more of it is ever kept.
 */
export function bodyMemory(
  { announced, memory, caller }: BodyTerms,
  name: string,
  maxBytes: number,
): BodyMemory {
  const share = new MemoryShare(memory, caller);
  const take = (bytes: number): void => {
    if (!share.take(bytes)) throw tooMuchMemory(name);
  };
  // Otherwise each of many bodies would take part of the memory, and none could be completed.
  if (announced !== undefined) take(Math.min(announced, maxBytes));
  return {
    take(chunk) {
      if (announced === undefined) take(chunk.length);
    },
    release: () => share.release(),
  };
}
