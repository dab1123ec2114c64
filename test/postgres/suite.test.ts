import { metadataStoreSuite } from '@bucketware/conformance';
import { type PostgresPool, postgresMetadata } from '@bucketware/postgres';
import test from 'ava';
import pg from 'pg';
import { postgresServer } from '../keyv/servers.js';
import { newTable, withServer } from './fixtures.js';

withServer(await postgresServer(), ({ url }) => {
  const pool: PostgresPool = new pg.Pool({ connectionString: url });
  test.after.always('end the pool', () => (pool as pg.Pool).end());
  metadataStoreSuite(test, async () => {
    const table = newTable();
    const open = () => postgresMetadata({ pool, table, timeout: 60_000 });
    return { store: await open(), reopen: open };
  });
});
