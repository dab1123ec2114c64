import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { WireRequest } from '../../http/wire.js';
import { bucketActions } from './buckets.js';
import type { Connection } from './connection.js';
import { failureIn } from './failures.js';
import { objectActions } from './objects.js';
import { settingActions } from './settings.js';
import { uploadActions } from './uploads.js';

/** Every action, as S3 spells it. */
export const clientOf = (connection: Connection): DialectClient => ({
  ...bucketActions(connection, objectActions(connection).deleteObject),
  ...objectActions(connection),
  ...uploadActions(connection),
  ...settingActions(connection),
  with: (more) => clientOf(connection.with(more)),
  async spell(action) {
    const requests: WireRequest[] = [];
    const spelling = connection.through((request) => {
      requests.push(request);
      return Promise.reject(new Error('This request is only spelled.'));
    });
    await assert.rejects(action(clientOf(spelling)), { message: 'This request is only spelled.' });
    const [request] = requests;
    assert.ok(request);
    return request;
  },
  failureIn: (answer) => failureIn(answer, 'PUT', true),
});
