import { postgresMetadata } from '@bucketware/postgres';
import { testDatabaseConformance } from '../http/database-storage.js';
import { onKoa } from '../http/servers.js';
import { postgresServer } from '../keyv/servers.js';

testDatabaseConformance(onKoa, await postgresServer(), (url) =>
  postgresMetadata({ url, timeout: 60_000 }),
);
