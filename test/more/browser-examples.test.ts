import { uploadPage } from '@bucketware/example-cookbook/upload-page';
import { storageMiddleware } from '@bucketware/express';
import test from 'ava';
import express from 'express';
import { inBrowser, theBrowser } from '../browser/chromium.js';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { EXAMPLES, startExample } from '../http/example-app.js';
import { listen, memoryStorage, principalOf } from '../http/servers.js';

const { bundle } = await import(new URL('../../../scripts/bundle.mjs', import.meta.url).href);

inBrowser('the examples', () => {
  for (const example of EXAMPLES) {
    test.serial(
      `${example}: a user logs in, uploads a file and sees it in the console`,
      async (t) => {
        await bundle();
        const { path, remove } = await temporaryDirectory();
        const app = await startExample(example, path);
        const context = await theBrowser().newContext();
        t.teardown(async () => {
          await context.close();
          await app.stop('SIGTERM');
          await remove();
        });
        const page = await context.newPage();
        await page.goto(`${app.origin}/console/`);
        await page.getByRole('link', { name: 'Log in' }).click();
        await page.getByRole('button', { name: 'alice' }).click();
        await page.getByText('You have no buckets yet.').waitFor();
        const headers = { authorization: 'Bearer bob' };
        const taken = `${app.origin}/storage/uploads-of-u-alice`;
        t.is((await fetch(taken, { method: 'PUT', headers })).status, 200);
        await page.goto(`${app.origin}/upload`);
        const file = { name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello.') };
        await page.setInputFiles('input', file);
        await page.getByText('a b.txt is uploaded.').waitFor();
        t.regex(await (await fetch(taken, { headers })).text(), /"contents":\[\]/);
        await page.getByRole('link').click();
        await page.getByRole('button', { name: 'a b.txt', exact: true }).click();
        await page.getByText('Hello.').waitFor();
        await page.getByRole('button', { name: 'Make a link' }).click();
        const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
        t.is(await (await fetch(link)).text(), 'Hello.');
        t.is(app.errors(), '');
      },
    );
  }

  test.serial(
    'the upload page of the cookbook works with a policy like that of helmet',
    async (t) => {
      const storage = await memoryStorage();
      const app = express();
      app.use((_req, res, next) => {
        res.set(
          'content-security-policy',
          "default-src 'self'; script-src 'self'; object-src 'none'",
        );
        next();
      });
      app.use('/storage', storageMiddleware(storage, { principal: principalOf }));
      app.use('/upload', uploadPage(storage, { userOf: principalOf, endpoint: '/storage' }));
      const server = await listen(app);
      const context = await theBrowser().newContext({
        extraHTTPHeaders: { authorization: 'Bearer alice' },
      });
      t.teardown(async () => {
        await context.close();
        await server.close();
      });
      const page = await context.newPage();
      await page.goto(`${server.origin}/upload`);
      const file = { name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello.') };
      await page.setInputFiles('input', file);
      await page.getByText('a b.txt is uploaded.').waitFor();
      await page.getByRole('link', { name: 'a b.txt' }).waitFor();
      const bucket = 'files-of-1001-u-alice';
      t.is(await (await storage.getObject({ bucket, key: 'a b.txt' })).text(), 'Hello.');
    },
  );
});
