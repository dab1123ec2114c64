import { storageMiddleware } from '@bucketware/express';
import type { ObjectStorage } from '@bucketware/storage';
import express, { type Express } from 'express';

/** Serves the bucket `site` as a website. Its access control list is `public-read`. */
export function staticSite(storage: ObjectStorage): Express {
  // Scripts and style sheets run, so let only people you trust write to this bucket.
  const site = storageMiddleware(storage, { principal: () => undefined, trustedContent: true });
  const app = express();
  app.use((req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return void res.sendStatus(405);
    const [path = '/'] = req.url.split('?');
    req.url = `/site${path.endsWith('/') ? `${path}index.html` : path}`;
    return site(req, res, next);
  });
  return app;
}
