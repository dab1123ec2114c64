import type { Dialect } from '../actions/dialect.js';
import { Connection } from '../client/connection.js';
import { clientOf } from '../client/index.js';
import { ownActions } from './client/actions.js';
import { spelling } from './client/spelling.js';
import { traits } from './traits.js';

/**
 * The S3 dialect. The server must know alice by the access key `AKALICE` with the secret
 * `the secret of alice`, and bob by `AKBOB` with `the secret of bob`.
 */
export const s3: Dialect = {
  name: 'S3',
  traits,
  connect: (server, options) => clientOf(new Connection(spelling, server, options), ownActions),
  cases: [],
};
