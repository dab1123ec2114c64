// @tus/server with files: `node tus.js <folder of its package> <directory>`. Uploads are named by
// the client, so that they can be found again.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listen } from './listen.js';

const [peers = '', directory = ''] = process.argv.slice(2);
const load = (name: string) =>
  import(pathToFileURL(join(peers, 'node_modules', name, 'dist/index.js')).href);

const { Server } = await load('@tus/server');
const { FileStore } = await load('@tus/file-store');
const server = new Server({
  path: '/files',
  datastore: new FileStore({ directory }),
  namingFunction: (request: Request) => request.headers.get('x-name') ?? crypto.randomUUID(),
});
// A download that its client breaks off would end the process: undici closes the stream twice.
process.on('uncaughtException', () => {});
listen(server.handle.bind(server));
