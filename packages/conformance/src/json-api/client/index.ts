import type { DialectClient } from '../../actions/client.js';
import { bucketActions } from './buckets.js';
import type { Connection } from './connection.js';
import { objectActions } from './objects.js';
import { settingActions } from './settings.js';
import { uploadActions } from './uploads.js';

/** Every action, as this dialect spells it. */
export const clientOf = (connection: Connection): DialectClient => ({
  ...bucketActions(connection),
  ...objectActions(connection),
  ...uploadActions(connection),
  ...settingActions(connection),
  with: (more) => clientOf(connection.with(more)),
});
