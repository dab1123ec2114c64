import assert from 'node:assert/strict';
import type { Answer } from '../../http/answer.js';

const ISO_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A time in a JSON body. */
export function timeOf(text: unknown): Date {
  assert.match(String(text), ISO_SECONDS);
  return new Date(String(text));
}

type Fields = Readonly<Record<string, unknown>>;

/** The JSON of a response. Asserts that it has these fields, and otherwise only optional ones. */
export function fieldsOf(
  answer: Answer,
  required: readonly string[],
  optional: readonly string[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: the actions know what is in it
): any {
  assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
  return assertFields(JSON.parse(answer.text), required, optional);
}

export function assertFields<Json extends Fields>(
  json: Json,
  required: readonly string[],
  optional: readonly string[] = [],
): Json {
  const found = Object.keys(json);
  const lacking = required.filter((name) => !found.includes(name));
  const unknown = found.filter((name) => !required.includes(name) && !optional.includes(name));
  assert.deepEqual({ lacking, unknown }, { lacking: [], unknown: [] });
  return json;
}
