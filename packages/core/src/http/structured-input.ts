import type { RequestBody } from './message.js';
import type { Operation } from './operation.js';
import type { InputSource } from './readers.js';
import type { BodyTerms } from './structured-body.js';

export type WritableSource = { -readonly [K in keyof InputSource]: InputSource[K] };

/** The input of an operation whose body is parsed. */
export async function readStructured(
  { body, readInput }: Operation,
  sent: RequestBody,
  terms: BodyTerms,
  source: WritableSource,
): Promise<unknown> {
  source.body = await body?.read(sent, terms);
  return readInput(source);
}
