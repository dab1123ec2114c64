// @tus/server with files. The client names uploads, so that it can read them later.
// Usage: `node tus.js <folder of its package> <directory>`
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
// Without this, a download that the client cancels would end the process: undici closes the stream
// twice.
process.on('uncaughtException', () => {});
listen(server.handle.bind(server));
