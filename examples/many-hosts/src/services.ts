export { CEPH_PROGRAMS, type Gateway, startGateway } from './ceph.js';
export { type Daemon, freePort, startDaemon } from './daemon.js';
export { startNginx } from './nginx.js';
export { type Postgres, postgresUser, startPostgres } from './postgres.js';
export { findProgram, missing } from './programs.js';
