import { createHmac } from 'node:crypto';
import { type StorageMiddleware, storageMiddleware } from '@bucketware/express';
import type { ObjectStorage, Principal } from '@bucketware/storage';
import express, { type Express, type Request } from 'express';

interface Sharing {
  /** The URL at which clients reach the app, such as `https://example.com`. */
  readonly publicUrl: string;
  readonly userOf: (req: Request) => Principal | undefined;
  /** Looks a user up. Links of deleted users stop working. */
  readonly findUser: (tenantId: string, userId: string) => Promise<Principal | undefined>;
  /** At least 32 random characters. Keep it out of the code: anyone who knows it can make links. */
  readonly secret: string;
}

/** `POST /share/<bucket>/<key>` makes a link that works for a day, even without an account. */
export function shareLinks(storage: ObjectStorage, sharing: Sharing): Express {
  const { publicUrl, userOf, findUser, secret } = sharing;
  // A link has the rights of an access key. The key of each user is derived from both ids.
  const files: StorageMiddleware = storageMiddleware(storage, {
    mount: '/files',
    publicUrl: `${publicUrl}/files`,
    // Only links work here, and only for reading. A login would get past the rules of other mounts.
    principal: () => undefined,
    authorize: ({ allowed, permission, key }) =>
      allowed && permission === 'READ' && key !== undefined,
    credentials: async (accessKey) => {
      const own = createHmac('sha256', secret).update(accessKey).digest('hex');
      const principal = await findUser(...idsIn(accessKey));
      return principal && { secret: own, principal };
    },
  });

  const app = express();
  app.use(files);
  app.post('/share/:bucket/*key', async (req, res) => {
    const user = userOf(req);
    if (user === undefined) return void res.sendStatus(401);
    const accessKey = accessKeyOf(user);
    const { bucket, key } = req.params;
    const link = { bucket, key: key.join('/'), accessKey, expiresIn: 86_400 };
    res.json({ url: await files.presign({ action: 'getObject', ...link }) });
  });
  return app;
}

const accessKeyOf = ({ tenantId, userId }: Principal): string =>
  `AK${[tenantId, userId].map((id) => Buffer.from(id).toString('hex')).join('-')}`;

function idsIn(accessKey: string): [tenantId: string, userId: string] {
  const [tenantId = '', userId = ''] = accessKey.slice(2).split('-');
  return [Buffer.from(tenantId, 'hex').toString(), Buffer.from(userId, 'hex').toString()];
}
