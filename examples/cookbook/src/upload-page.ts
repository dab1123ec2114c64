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

  router.get('/', async (req, res) => {
    const user = userOf(req);
    if (user === undefined) return void res.sendStatus(401);
    const bucket = `files-of-${user.tenantId}-${user.userId}`;
    // Throws if the bucket belongs to somebody else, who could then read the files.
    await storage.as(user).putBucket({ bucket });
    res.type('html').send(page({ client: `${req.baseUrl}/client/index.js`, endpoint, bucket }));
  });
  return router;
}

/** The URL of the page may contain quotes and tags. */
const text = (value: string) => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (values: { client: string; endpoint: string; bucket: string }) => `<!doctype html>
<meta charset="utf-8">
<title>My files</title>
<p><input type="file"> <progress value="0"></progress> <output></output></p>
<ul></ul>
<script type="module">
  import { createClient } from ${text(values.client)};

  const storage = createClient({ endpoint: ${text(values.endpoint)} });
  const bucket = ${text(values.bucket)};
  const find = (name) => document.querySelector(name);

  find('input').onchange = async ({ target }) => {
    const [file] = target.files;
    const onProgress = ({ loaded, total }) => {
      find('progress').value = loaded / total;
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
</script>
`;
