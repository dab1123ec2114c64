// An app on Deno, Bun or Node, as docs/mounting.md describes it. Arguments: the directory of the
// storage, and the dialect. Prints its address. Each internal failure is a line of standard error.
import { s3 } from '@bucketware/s3';
import { openStorage } from '@bucketware/storage';
import { toWebHandler } from '@bucketware/web';
import { alice, bob, OF_TESTS, users } from '../http/servers.js';

type Fetch = (request: Request) => Promise<Response>;

declare const Bun: undefined | { serve(options: object): { port: number } };
declare const Deno:
  | undefined
  | { serve(options: object, handle: Fetch): { addr: { port: number } } };

const [directory = '', dialect = 'json'] = process.argv.slice(2);

const credentials = {
  AKALICE: { secret: 'the secret of alice', principal: alice },
  AKBOB: { secret: 'the secret of bob', principal: bob },
};
const onError = (error: unknown) => console.error('failure', error);
const storage = await openStorage({ directory, ...OF_TESTS, onError });
const handle: Fetch = toWebHandler(storage, {
  mount: '/storage',
  baseHost: 'objects.test',
  principal: (request) => users.get(request.headers.get('authorization') ?? ''),
  onError,
  ...(dialect === 's3' && { dialect: s3({ credentials }) }),
});

const hostname = '127.0.0.1';
const port =
  typeof Bun === 'undefined'
    ? Deno?.serve({ port: 0, hostname, onListen: () => {} }, handle).addr.port
    : Bun.serve({ port: 0, hostname, fetch: handle, idleTimeout: 255, maxRequestBodySize: 6e9 })
        .port;
console.log(`http://${hostname}:${port}`);
