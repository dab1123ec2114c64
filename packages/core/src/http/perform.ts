import type { AdmittedCall } from '../actions/call.js';
import { tagCountOf } from '../actions/known-of-object.js';
import { run } from '../actions/run.js';
import type { StoredObject } from '../actions/stored-object.js';
import { type Body, NOTHING } from '../engine/content/receive.js';
import { StorageError } from '../errors.js';
import { answerableError, answerContent, type Serving } from './content-answer.js';
import type { StorageResponse } from './message.js';
import type { Answered, Operation } from './operation.js';
import { type Revalidation, unconditional } from './revalidation.js';

/** A call, and everything that its response is built from. */
export interface Performance {
  readonly operation: Operation;
  readonly call: AdmittedCall;
  readonly body: Body;
  readonly responseInput: Readonly<Record<string, unknown>>;
  readonly about: Pick<Answered<unknown>, 'principal' | 'owner' | 'url'>;
  readonly serving: Pick<Serving, 'shared'> & Revalidation;
}

/** Runs an action and builds its response. */
export async function perform(performance: Performance): Promise<StorageResponse> {
  const { operation, call, body, responseInput, about } = performance;
  const { bucketName, key, input, permit } = call;
  const { principal, owner, url } = about;
  const answered = (taken: Body): Answered<unknown> => ({
    bucketName,
    key,
    input,
    responseInput,
    body: taken,
    principal,
    owner,
    url,
  });
  if (!operation.servesContent || permit === undefined) {
    try {
      const result = await run(operation.action, call, body);
      return operation.respond(result, answered(call.body));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const answer = operation.recover(error, answered(NOTHING));
      if (answer === undefined) throw error;
      return answer;
    }
  }
  const { trusted, shared, usable } = performance.serving;
  const serving: Serving = {
    trusted,
    shared,
    usable,
    permit,
    key,
    tagCountOf: (record) => tagCountOf(call, record),
    respond: (object) => operation.respond(object, answered(NOTHING)),
    overrides: responseInput,
  };
  const read = async () =>
    answerContent((await run(operation.action, call, body)) as StoredObject, serving);
  try {
    return await read().catch((error: unknown) => {
      const whole = unconditional(error, input, performance.serving);
      if (whole === undefined) throw error;
      call.input = whole;
      return read();
    });
  } catch (error) {
    throw await answerableError(error, serving);
  }
}
