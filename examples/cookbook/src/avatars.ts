import { pipeline } from 'node:stream/promises';
import { type ObjectStorage, StorageError } from '@bucketware/storage';
import express, { type Request, type Router } from 'express';

interface Avatars {
  /** The id of the user who is logged in. */
  readonly userOf: (req: Request) => string | undefined;
  /** Makes the thumbnail, such as `(image) => sharp(image).resize(128).webp().toBuffer()`. */
  readonly shrink: (image: Buffer) => Promise<Buffer>;
}

/** How JPEG, PNG and WebP begin. To draw an SVG of 5 MB, a library may compute for half an hour. */
const PICTURE = /^(\xff\xd8\xff|\x89PNG|RIFF....WEBP)/s;

/** One picture per user, with a thumbnail. The bucket `avatars` must exist. */
export function avatars(storage: ObjectStorage, { userOf, shrink }: Avatars): Router {
  const bucket = 'avatars';
  const router = express.Router();
  const busy = new Set<string>();

  router.put('/', express.raw({ type: 'image/*', limit: '5mb' }), async (req, res) => {
    const user = userOf(req);
    if (user === undefined) return void res.sendStatus(401);
    if (!Buffer.isBuffer(req.body) || !PICTURE.test(req.body.toString('latin1', 0, 12)))
      return void res.status(415).send('Send a JPEG, PNG or WebP image.');
    // One picture at a time: the library uses the threads that also read and write all files.
    if (busy.has(user)) return void res.status(429).send('Your last picture is not ready yet.');
    busy.add(user);
    const small = await shrink(req.body)
      .catch(() => undefined) // It throws unless this is an image.
      .finally(() => busy.delete(user));
    if (small === undefined) return void res.status(415).send('This image cannot be read.');
    const contentType = req.get('content-type');
    await storage.putObject({ bucket, key: `original/${user}`, body: req.body, contentType });
    await storage.putObject({
      bucket,
      key: `small/${user}`,
      body: small,
      contentType: 'image/webp',
    });
    res.sendStatus(204);
  });

  router.get('/:user', async (req, res) => {
    try {
      const picture = await storage.getObject({ bucket, key: `small/${req.params.user}` });
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
