import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type ObjectStorage, type Principal, StorageError } from '@bucketware/storage';
import express, { type Request, type Response, type Router } from 'express';

interface Avatars {
  /** The user who is logged in. */
  readonly userOf: (req: Request) => Principal | undefined;
  /** Makes the thumbnail. Must limit the pixels and the time: others wait for it. */
  readonly shrink: (image: Buffer) => Promise<Buffer>;
}

/** How JPEG, PNG and WebP begin. To draw an SVG of 5 MB, a library may compute for half an hour. */
const PICTURE = /^(\xff\xd8\xff|\x89PNG|RIFF....WEBP)/s;

/** How many pictures are in memory at a time. Each has up to 5 MB. */
const MAX_PICTURES = 20;
/** How long a picture may take to arrive. Otherwise, slow clients would take all places. */
const ARRIVAL_MS = 180_000;

const readBody: (req: Request, res: Response) => Promise<unknown> = promisify(
  express.raw({ type: 'image/*', limit: '5mb', inflate: false }),
);

/** One picture per user, with a thumbnail. The bucket `avatars` must exist. */
export function avatars(storage: ObjectStorage, { userOf, shrink }: Avatars): Router {
  const bucket = 'avatars';
  const router = express.Router();
  const busy = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  /** One picture at a time: the library takes much memory, and threads that also read files. */
  const shrinkInTurn = (req: Request): Promise<Buffer> => {
    const small = last.then(() => {
      if (req.socket.destroyed) throw new Error('The user has left.');
      return shrink(req.body);
    });
    last = small.catch(() => {}); // The request gets the error.
    return small;
  };

  router.put('/', async (req, res) => {
    const user = userOf(req);
    if (user === undefined) return void res.sendStatus(401);
    const path = pathOf(user.tenantId, user.userId);
    if (busy.has(path)) return void res.status(429).send('Your last picture is not ready yet.');
    if (busy.size >= MAX_PICTURES) return void res.status(503).send('Try again in a moment.');
    busy.add(path);
    const late = setTimeout(() => req.destroy(), ARRIVAL_MS);
    try {
      await readBody(req, res).finally(() => clearTimeout(late));
      if (!Buffer.isBuffer(req.body) || !PICTURE.test(req.body.toString('latin1', 0, 12)))
        return void res.status(415).send('Send a JPEG, PNG or WebP image.');
      const body = await shrinkInTurn(req).catch(() => undefined); // Throws unless it is an image.
      if (body === undefined) return void res.status(415).send('This image cannot be read.');
      const original = { bucket, key: `original/${path}`, body: req.body };
      await storage.putObject({ ...original, contentType: req.get('content-type') });
      const small = { bucket, key: `small/${path}`, body, contentType: 'image/webp' };
      await storage.putObject(small);
      res.sendStatus(204);
    } finally {
      busy.delete(path);
    }
  });

  router.get('/:tenant/:user', async (req, res) => {
    try {
      const { tenant, user } = req.params;
      const picture = await storage.getObject({ bucket, key: `small/${pathOf(tenant, user)}` });
      // The browser revalidates the picture each time, and gets a 304 until it changes.
      res.type('image/webp').set('cache-control', 'no-cache').set('etag', `"${picture.etag}"`);
      if (req.fresh) return void res.sendStatus(304);
      await pipeline(picture.body, res);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'NoSuchKey') throw error;
      res.sendStatus(404);
    }
  });
  return router;
}

/** Ids may contain slashes. */
const pathOf = (tenantId: string, userId: string): string =>
  [tenantId, userId].map(encodeURIComponent).join('/');
