export { CEPH_PROGRAMS, type Gateway, startGateway } from './ceph.js';
export { type Daemon, freePort } from './daemon.js';
export { makeBucket } from './make-bucket.js';
export { startNginx } from './nginx.js';
export { type Postgres, startPostgres } from './postgres.js';
export { missing } from './programs.js';
