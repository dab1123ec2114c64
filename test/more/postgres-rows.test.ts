import { postgresMetadata } from '@bucketware/postgres';
import { testDatabaseConformance } from '../http/database-storage.js';
import { carriers } from '../http/servers.js';
import { postgresServer } from '../keyv/servers.js';

testDatabaseConformance(carriers.koa, await postgresServer(), (url) =>
  postgresMetadata({ url, timeout: 60_000 }),
);
