import { tooMuchMemory } from '../engine/concurrency/memory-share.js';
import type { BodyTerms } from './structured-body.js';

/** Counts more bytes as memory of the caller until the response is sent. Throws SlowDown. */
export type TakeMemory = (bytes: number) => void;

/**
 * Counts what arrives of a body, and what is parsed from it. An announced length is not counted: a
 * client that announces a body and does not send it must not take memory from others. `name` names
 * such bodies in the plural, for the message.
 */
export const bodyMemory =
  ({ memory }: BodyTerms, name: string): TakeMemory =>
  (bytes) => {
    if (!memory.take(bytes)) throw tooMuchMemory(name);
  };
