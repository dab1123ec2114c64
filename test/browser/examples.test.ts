import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { EXAMPLES, startExample } from '../http/example-app.js';
import { inBrowser, theBrowser } from './chromium.js';

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
});
