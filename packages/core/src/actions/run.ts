import type { Body } from '../engine/content/receive.js';
import { StorageError } from '../errors.js';
import type { AnyAction } from './action.js';
import type { AdmittedCall } from './call.js';

/** How many times a read restarts when the settings of its bucket change meanwhile. */
const MAX_TRIES = 20;

/** Runs an action on a call, with its body. */
export function run(action: AnyAction, call: AdmittedCall, body: Body): Promise<unknown> {
  call.body = body;
  const confirms = action.isRead === true && action.readsObject !== true;
  const work = () => (confirms ? read(action, call) : action.run(call));
  return action.isLong === true ? call.working(work) : work();
}

/**
 * The result of a read is returned only if the caller may still see it. It is read again when the
 * settings of its bucket have changed: a right may have been revoked and granted again meanwhile.
 */
async function read(action: AnyAction, call: AdmittedCall): Promise<unknown> {
  const { permit } = call;
  if (permit === undefined) return action.run(call);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { version } = permit.bucket;
    const result: unknown = await action.run(call);
    await permit.confirm();
    if (permit.bucket.version === version) return result;
  }
  throw new StorageError('ServiceUnavailable');
}
