import type { IncomingMessage } from 'node:http';

/**
 * Whether a part of the body is still missing. Requests that a program makes up, as `inject()` of
 * Fastify does, do not say whether they are complete.
 */
export const isIncomplete = ({ complete }: IncomingMessage): boolean => complete === false;
