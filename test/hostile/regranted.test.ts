import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { alice, bob } from '../http/servers.js';
import { interruptible } from './interruptible.js';

const bucket = 'bucket';
const key = 'key';
const SECRET = 'written while bob had no right';
const accessControlList = [{ grantee: [{ id: bob.userId }], permission: ['READ'] }] as const;

/** Alice revokes the permission before one call of bob's request, and grants it again later. */
async function read(revokedAt: number, grantedAfter: number) {
  const { metadata, interrupt } = interruptible(memoryMetadata());
  const storage = await createObjectStorage({
    metadata,
    blobs: memoryBlobs(),
    sweepEvery: false,
    uniqueUserIds: true,
    // Replaced data is kept for a while, so that the version that was found can still be read.
    inlineLimit: 0,
  });
  const mine = storage.as(alice);
  await mine.putBucket({ bucket });
  await mine.putObject({ bucket, key, body: 'public' });
  await mine.putBucketAcl({ bucket, accessControlList });
  let isGranted = () => false;
  interrupt(revokedAt, async () => {
    await mine.putBucketAcl({ bucket, acl: 'private' });
    await mine.putObject({ bucket, key, body: SECRET });
    isGranted = interrupt(grantedAfter, async () => {
      await mine.putObject({ bucket, key, body: 'public' });
      await mine.putBucketAcl({ bucket, accessControlList });
    });
  });
  const answer = await storage
    .as(bob)
    .getObject({ bucket, key })
    .then(
      async (object) => (await object.bytes()).toString(),
      (error: { code?: string }) => error.code,
    );
  const happened = isGranted();
  await storage.close();
  return { answer, happened };
}

test('data that was written while a permission was revoked is not read, even if it is granted again', async (t) => {
  let tried = 0;
  for (let revokedAt = 0; revokedAt < 8; revokedAt++) {
    for (let grantedAfter = 0; grantedAfter < 6; grantedAfter++) {
      const { answer, happened } = await read(revokedAt, grantedAfter);
      t.not(
        answer,
        SECRET,
        `revoked in front of call ${revokedAt}, granted ${grantedAfter} calls after it`,
      );
      if (happened) tried++;
    }
  }
  t.true(tried > 0, `${tried}`);
});
