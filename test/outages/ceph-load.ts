import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBucket } from '@bucketware/example-many-hosts/make-bucket';
import { CEPH_PROGRAMS, missing, startGateway } from '@bucketware/example-many-hosts/services';
import { type Missing, ownPostgres } from '../keyv/servers.js';
import { FAULTS, mixedLoad, type Outcome } from './mixed-load.js';

/** Mixed load on PostgreSQL and a Ceph gateway. Each round has all faults, in a different order. */
export async function cephLoad(rounds: number): Promise<Outcome | Missing> {
  const lacking = await missing(...CEPH_PROGRAMS);
  if (lacking !== undefined) return lacking;
  const database = await ownPostgres();
  if (typeof database === 'string') return database;
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-ceph-'));
  try {
    const gateway = await startGateway(directory);
    try {
      await makeBucket(`s3://bytes?endpoint=${gateway.endpoint}`, gateway);
      const names = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
      const shuffled = () => names.toSorted(() => Math.random() - 0.5);
      return await mixedLoad({
        ...{ database, bytes: { ...gateway, credentials: gateway } },
        ...{ clients: 12, keys: 8 * rounds, pause: 1000 },
        faults: Array.from({ length: rounds }, shuffled).flat(),
      });
    } finally {
      await gateway.stop();
    }
  } finally {
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
