import { PostgresStore } from '@bucketware/keyv';
import { Keyv } from 'keyv';
import pg from 'pg';
import { carriers } from '../http/carriers.js';
import { testKeyvConformance } from '../http/database-storage.js';
import { postgresServer } from '../keyv/servers.js';

const server = await postgresServer();
const poolAt = (connectionString: string) => new pg.Pool({ connectionString });
testKeyvConformance(
  carriers.express5,
  server,
  (url) => new Keyv({ store: new PostgresStore(poolAt(url)) }),
);
