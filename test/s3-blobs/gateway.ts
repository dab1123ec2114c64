import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBucket } from '@bucketware/example-many-hosts/make-bucket';
import { CEPH_PROGRAMS, missing, startGateway } from '@bucketware/example-many-hosts/services';
import type { Missing } from '../keyv/servers.js';

/** An S3 store that runs on this machine. */
export interface Gateway {
  /** The URL of a bucket, with a prefix that the test chooses. */
  urlOf(prefix: string): string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * A Ceph object gateway from Debian's packages, or the store at `TEST_S3_URL`. The credentials are
 * in the usual environment variables. Ceph takes about 15 seconds to start.
 */
export async function s3Gateway(): Promise<Gateway | Missing> {
  const given = process.env.TEST_S3_URL;
  if (given) {
    const url = new URL(given);
    const urlOf = (prefix: string) => `s3://${url.hostname}/${prefix}${url.search}`;
    const endpoint = url.searchParams.get('endpoint') ?? '';
    return { urlOf, endpoint, stop: async () => undefined };
  }
  const lacking = await missing(...CEPH_PROGRAMS);
  if (lacking !== undefined) return lacking;
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-ceph-'));
  const gateway = await startGateway(directory);
  const { endpoint, accessKeyId, secretAccessKey } = gateway;
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  const urlOf = (prefix: string) => `s3://blobs/${prefix}?endpoint=${endpoint}`;
  await makeBucket(urlOf(''));
  return {
    ...{ urlOf, endpoint },
    async stop() {
      await gateway.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
