import assert from 'node:assert/strict';
import type { DialectClient } from '../actions/client.js';
import type { WireRequest } from '../http/wire.js';
import { failureIn } from './answers.js';
import { commonActions } from './common.js';
import type { Connection } from './connection.js';
import { settingActions } from './settings.js';

type Common = ReturnType<typeof commonActions> & ReturnType<typeof settingActions>;
/** The actions that are different requests in each dialect. */
export type OwnActions = Omit<DialectClient, keyof Common | 'with' | 'spell' | 'failureIn'>;

/** The client of a dialect. */
export function clientOf(
  connection: Connection,
  ownActions: (connection: Connection) => OwnActions,
): DialectClient {
  return {
    ...commonActions(connection),
    ...settingActions(connection),
    ...ownActions(connection),
    with: (more) => clientOf(connection.with(more), ownActions),
    async spell(action) {
      const requests: WireRequest[] = [];
      const spelling = connection.through((request) => {
        requests.push(request);
        return Promise.reject(new Error('This request is only built, not sent.'));
      });
      const message = 'This request is only built, not sent.';
      await assert.rejects(action(clientOf(spelling, ownActions)), { message });
      const [request] = requests;
      assert.ok(request);
      return request;
    },
    failureIn: (answer) => failureIn(connection.spelling, answer, { method: 'PUT', key: '' }),
  };
}
