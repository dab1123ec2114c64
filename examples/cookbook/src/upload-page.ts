import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObjectStorage, Principal } from '@bucketware/storage';
import express, { type Request, type Router } from 'express';

interface UploadPage {
  /** The user who is logged in. The bucket name contains both ids: use only a-z and 0-9. */
  readonly userOf: (req: Request) => Principal | undefined;
  /** Where the storage is mounted, such as `/storage`. */
  readonly endpoint: string;
}

/** A page where users upload and download files. Each user has one bucket. */
export function uploadPage(storage: ObjectStorage, { userOf, endpoint }: UploadPage): Router {
  const router = express.Router();
  // Browsers load the client as it is, without a bundler.
  const client = dirname(fileURLToPath(import.meta.resolve('@bucketware/client')));
  router.use('/client', express.static(client));
  router.get('/page.js', (_req, res) => void res.type('js').send(SCRIPT));

  router.get('/', async (req, res) => {
    res.set('cache-control', 'no-store'); // The page is only for this user.
    const user = userOf(req);
    if (user === undefined) return void res.sendStatus(401);
    const bucket = `files-of-${user.tenantId}-${user.userId}`;
    // Throws if the bucket belongs to somebody else, who could then read the files.
    await storage.as(user).putBucket({ bucket });
    res.type('html').send(page(req.baseUrl, { endpoint, bucket }));
  });
  return router;
}

/** The URL of the page may contain quotes and tags. */
const attribute = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const json = (value: object) => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (baseUrl: string, values: object) => `<!doctype html>
<meta charset="utf-8">
<title>My files</title>
<p><input type="file"> <progress value="0"></progress> <output></output></p>
<ul></ul>
<script type="application/json">${json(values)}</script>
<script type="module" src="${attribute(`${baseUrl}/page.js`)}"></script>
`;

/** A separate file, because a Content-Security-Policy such as that of helmet forbids inline scripts. */
const SCRIPT = `import { createClient } from './client/index.js';

const find = (name) => document.querySelector(name);
const { endpoint, bucket } = JSON.parse(find('script').textContent);
const storage = createClient({ endpoint });

find('input').onchange = async ({ target }) => {
  const [file] = target.files;
  const onProgress = ({ loaded, total }) => {
    find('progress').value = total ? loaded / total : 1;
  };
  try {
    await storage.upload({ bucket, key: file.name, body: file, onProgress });
    find('output').textContent = file.name + ' is uploaded.';
    await list();
  } catch (error) {
    find('output').textContent = error.message + ' Choose the file again to continue.';
  }
  target.value = ''; // The same file can be chosen again.
};

async function list() {
  const items = [];
  for await (const { key } of storage.objects({ bucket })) {
    const link = document.createElement('a');
    Object.assign(link, { href: storage.url({ bucket, key }), download: key, textContent: key });
    items.push(document.createElement('li'));
    items.at(-1).append(link);
  }
  find('ul').replaceChildren(...items);
}
await list();
`;
