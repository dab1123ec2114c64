import { type ShareRequest, storageConsole } from '@bucketware/console/express';
import type { ObjectStorage, Principal } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/express';
import type { ExecutionContext } from 'ava';
import express from 'express';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';
import { theBrowser } from './chromium.js';

const { bundle } = await import(new URL('../../../scripts/bundle.mjs', import.meta.url).href);

const bundled: Promise<void> = bundle();

export const bucket = 'photos';

const users = new Map([
  ['session=alice', alice],
  ['session=bob', bob],
]);

const userOf = (req: express.Request) => users.get(req.headers.cookie ?? '');

export interface ConsoleSite {
  readonly storage: ObjectStorage;
  readonly origin: string;
  readonly page: Page;
  /** The errors that the browser reported: policy violations and failed scripts. */
  readonly complaints: string[];
  /** Requests to other hosts. */
  readonly foreign: string[];
  login(user: 'alice' | 'bob'): Promise<void>;
  logout(): Promise<void>;
  /** Opens a view, such as `#/photos`. */
  goTo(hash: string): Promise<void>;
}

/** Alice's buckets, and the console of an app that authenticates with a cookie. */
export async function openConsole(
  t: ExecutionContext,
  options: BrowserContextOptions = {},
  settings: { now?: () => number } = {},
): Promise<ConsoleSite> {
  await bundled;
  const storage = await memoryStorage(settings);
  await storage.as(alice).putBucket({ bucket });
  const app = express();
  const credentials = { AKALICE: { secret: 'a long secret', principal: alice } };
  const access = { principal: userOf, onError: () => {} };
  const files = storageMiddleware(storage, { ...access, mount: '/files', credentials });
  app.use(files);
  const share = ({ bucket, key, expiresIn }: ShareRequest) =>
    files.presign({
      ...{ action: 'getObject' as const, bucket, key, expiresIn, accessKey: 'AKALICE' },
      publicUrl: `${server.origin}/files`,
    });
  const health = ({ userId }: Principal) => userId === 'u-alice';
  const others = { title: 'Acme Storage', loginUrl: '/login', share, health };
  app.use('/console', storageConsole(storage, { ...access, ...others }));
  const server = await listen(app);
  const context = await theBrowser().newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const login = (user: string) =>
    context.addCookies([{ name: 'session', value: user, url: server.origin }]);
  await login('alice');
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== server.origin) {
      foreign.push(request.url());
    }
  });
  t.teardown(async () => {
    await context.close();
    await server.close();
    await storage.close();
  });
  return {
    ...{ storage, origin: server.origin, page, complaints, foreign, login },
    logout: () => context.clearCookies(),
    goTo: async (hash) => {
      await page.goto(`${server.origin}/console/${hash}`);
      await page.waitForLoadState('networkidle');
    },
  };
}
