import { readFile } from 'node:fs/promises';
import test from 'ava';
import { violationsOn } from '../browser/axe.js';
import { inBrowser } from '../browser/chromium.js';
import { fill } from '../browser/console-data.js';
import { bucket, openConsole } from '../browser/console-site.js';
import { isFocused, tabTo } from '../browser/keyboard.js';
import { alice, bob } from '../http/servers.js';

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/plain', buffer });

inBrowser('the console', () => {
  test.serial('axe-core finds no fault in any view', async (t) => {
    const site = await openConsole(t, { bypassCSP: true });
    const { page, goTo, storage, complaints, foreign } = site;
    await fill(storage, bucket);
    const views = [
      '#/',
      ...['', '/uploads', '/usage', '/access', '/cors', '/lifecycle'].map(
        (tab) => `#/${bucket}${tab}`,
      ),
    ];
    for (const view of views) {
      await goTo(view);
      const count = page.getByRole('button', { name: 'Count' });
      if ((await count.count()) > 0) {
        await count.click();
        await page.getByText(/objects?, /).waitFor();
      }
      t.deepEqual(await violationsOn(page), [], view);
    }
    await page.getByRole('button', { name: 'Add a rule' }).click();
    t.deepEqual(await violationsOn(page), [], 'a rule that is not saved');
    await goTo(`#/${bucket}`);
    await page.getByRole('button', { name: 'cover.png', exact: true }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByRole('textbox', { name: 'Link' }).waitFor();
    t.deepEqual(await violationsOn(page), [], 'details');
    await page.keyboard.press('Escape');
    await page.setInputFiles('input[type=file]', [file('new.txt', Buffer.from('x'))]);
    await page.getByText('1 file uploaded').waitFor();
    t.deepEqual(await violationsOn(page), [], 'uploads');
    t.deepEqual([complaints, foreign], [[], []]);
  });

  test.serial('everything works by keyboard only', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo('');
    await tabTo(page, 'Create a bucket');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create a bucket' }).waitFor();
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'by-keyboard' }).waitFor();
    t.true(
      (await storage.as(alice).listBuckets({})).buckets.some(({ name }) => name === 'by-keyboard'),
    );

    const choosing = page.waitForEvent('filechooser');
    await tabTo(page, 'Upload');
    await page.keyboard.press('Enter');
    const chooser = await choosing;
    await chooser.setFiles([file('a.txt', Buffer.from('Hello.')), file('b.txt', Buffer.from('B'))]);
    await page.getByRole('button', { name: 'a.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'b.txt', exact: true }).waitFor();
    await tabTo(page, 'a.txt');
    await page.keyboard.press('Enter');
    const details = page.getByRole('dialog', { name: 'a.txt' });
    await details.getByText('Hello.').waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    t.true(await isFocused(page, 'a.txt'));

    await page.keyboard.press('Shift+Tab');
    t.true(await isFocused(page, 'Select a.txt'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+Tab');
    await tabTo(page, 'Delete 1 item');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete 1 item?' }).waitFor();
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'a.txt', exact: true }).waitFor({ state: 'detached' });
    const { contents } = await storage.listObjects({ bucket: 'by-keyboard' });
    t.deepEqual(
      contents.map(({ key }) => key),
      ['b.txt'],
    );
  });

  test.serial(
    'keys that look like paths or markup are shown, downloaded and deleted correctly',
    async (t) => {
      const { page, goTo, storage, complaints } = await openConsole(t);
      const keys = [
        '../x',
        '<img src=x onerror=alert(1)>',
        '"><script>alert(1)</script>',
        'a//b',
        '..',
        'x%2Fy#z?q',
        ' ',
        'photo\u202Egpj.exe',
      ];
      for (const key of keys)
        await storage.putObject({ bucket, key, body: key, contentType: 'text/html' });
      page.on('dialog', () => complaints.push('a script ran'));
      const openFile = async (prefix: string, name: string) => {
        await goTo(`#/${bucket}/files/${encodeURIComponent(prefix)}`);
        await page.getByRole('button', { name, exact: true }).click();
        return page.getByRole('dialog', { name });
      };
      const markup = await openFile('', '<img src=x onerror=alert(1)>');
      await markup.getByRole('region').getByText('<img src=x onerror=alert(1)>').waitFor();
      await page.keyboard.press('Escape');
      const path = await openFile('../', 'x');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        path.getByRole('link', { name: 'Download' }).click(),
      ]);
      t.regex(download.suggestedFilename(), /^x(\.html)?$/);
      t.is((await readFile(await download.path())).toString(), '../x');
      await path.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('There is nothing here.').waitFor();
      // Files that no browser can open, and misleading names.
      const unopened = await openFile('', '..');
      await unopened.getByText('Browsers cannot open a file with the key').waitFor();
      await unopened.getByRole('button', { name: 'Rename' }).click();
      const rename = page.getByRole('dialog', { name: 'Rename' });
      await rename.getByRole('textbox', { name: 'Key' }).fill('.');
      await rename.getByRole('button', { name: 'Rename' }).click();
      await rename.getByText('Browsers cannot open a file with this key.').waitFor();
      await rename.getByRole('textbox', { name: 'Key' }).fill('../<script>');
      await rename.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('button', { name: '..', exact: true }).waitFor({ state: 'detached' });
      await storage.getObjectMeta({ bucket, key: '../<script>' });
      await page.getByRole('button', { name: '(only spaces)', exact: true }).waitFor();
      await page.getByRole('button', { name: 'photo\ufffdgpj.exe', exact: true }).waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: /^Delete \d items/ }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('This bucket is empty.').waitFor();
      t.deepEqual((await storage.listObjects({ bucket })).contents, []);
      t.deepEqual(complaints, []);
    },
  );

  test.serial('access, CORS and lifecycle rules are explained, tried and saved', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await storage.putObject({ bucket, key: 'tmp/a', body: 'a' });
    await storage.putObject({ bucket, key: 'keep', body: 'b' });
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
    };
    const add = () => page.getByRole('button', { name: 'Add a rule' }).click();
    await goTo(`#/${bucket}/lifecycle`);
    await add();
    await page
      .getByText('Deletes files below tmp/ 30 days after they were last changed.')
      .waitFor();
    await page.getByRole('spinbutton', { name: 'Days from now' }).fill('31');
    await page.getByRole('button', { name: 'Try the rules' }).click();
    await page.getByText('1 file (1 byte) and 0 unfinished uploads').waitFor();
    t.is((await storage.listObjects({ bucket })).contents.length, 2);
    await save();
    // The page must predict what the storage does.
    const now = new Date(Date.now() + 31 * 24 * 60 * 60 * 1000);
    t.like(await storage.lifecycle.run({ now, dryRun: true }), { deleted: 1, aborted: 0 });

    await goTo(`#/${bucket}/cors`);
    await add();
    await page.getByRole('textbox', { name: 'Origins' }).fill('https://*.example.com');
    await page.getByRole('textbox', { name: 'A page of' }).fill('https://app.example.com');
    await page.getByText('Rule 1 allows it.').waitFor();
    await page.getByRole('combobox', { name: 'Method' }).selectOption('DELETE');
    await page
      .getByText('No rule allows pages of https://app.example.com to send DELETE.')
      .waitFor();
    await save();
    const { corsConfiguration } = await storage.getBucketCors({ bucket });
    t.deepEqual(corsConfiguration[0]?.allowedOrigins, ['https://*.example.com']);

    await goTo(`#/${bucket}/access`);
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await add();
    await page.getByRole('textbox', { name: 'Users' }).fill('*');
    await page.getByRole('textbox', { name: 'Below the folder' }).fill('public/');
    await page.getByText('Everyone may read files below public/.').waitFor();
    await add();
    const second = page.getByRole('listitem').filter({ hasText: 'Remove rule 2' });
    await second
      .getByRole('textbox', { name: 'Users' })
      .pressSequentially('ann@example.com, eve;7');
    await second.getByRole('textbox', { name: 'Below the folder' }).pressSequentially('a/, b/');
    const words =
      'User ann@example.com and user eve of tenant 7 may read files below a/ and files below b/.';
    await page.getByText(words).waitFor();
    await add();
    await page.getByRole('button', { name: 'Remove rule 2' }).click();
    await page.getByText(words).waitFor({ state: 'detached' });
    const left = page.getByRole('listitem').filter({ hasText: 'Remove rule 2' });
    t.is(await left.getByRole('textbox', { name: 'Users' }).inputValue(), '');
    await page.getByRole('button', { name: 'Remove rule 2' }).click();
    await page.getByText('When you save this, anyone on the internet gets access.').waitFor();
    await save();
    const { accessControlList } = await storage.getBucketAcl({ bucket });
    t.like(accessControlList[0], { permission: ['READ'], resource: [`${bucket}/public/*`] });
    await page.getByRole('textbox', { name: 'Users' }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    // The storage reports the problem, and nothing is lost.
    await page.getByRole('alert').waitFor();
    t.is((await storage.getBucketAcl({ bucket })).accessControlList.length, 1);
  });

  test.serial('a user can see and do only what the storage allows', async (t) => {
    const { page, goTo, storage, login, logout, origin } = await openConsole(t);
    await storage.putObject({ bucket, key: 'mine', body: 'x' });
    await storage.as(bob).putBucket({ bucket: 'of-bob' });
    await login('bob');
    await goTo('');
    await page.getByRole('link', { name: 'of-bob' }).first().waitFor();
    t.is(await page.getByRole('link', { name: bucket }).count(), 0);
    await goTo(`#/${bucket}`);
    await page.getByText('You are not allowed to do this.').first().waitFor();
    await logout();
    await page.reload();
    await page.getByText('You are not logged in.').waitFor();
    t.is(await page.getByRole('link', { name: 'Log in' }).getAttribute('href'), '/login');

    const links = `${origin}/console/links`;
    const body = JSON.stringify({ bucket, key: 'mine', expiresIn: 60 });
    const ask = (headers: Record<string, string>, text = body) =>
      fetch(links, { method: 'POST', headers, body: text });
    const json = { 'content-type': 'application/json' };
    const cookie = 'session=alice';
    t.is((await ask(json)).status, 403);
    t.is((await ask({ cookie, 'content-type': 'text/plain' })).status, 403);
    t.is((await ask({ ...json, cookie, 'sec-fetch-site': 'cross-site' })).status, 403);
    t.is((await ask({ ...json, cookie }, '{"bucket":1}')).status, 400);
    for (const foreign of ['http://evil.example', 'null', origin.replace(/:\d+$/, ':1'), 'file://'])
      t.is((await ask({ ...json, cookie, origin: foreign })).status, 403, foreign);
    t.is((await ask({ ...json, cookie, origin, 'x-forwarded-host': 'evil.example' })).status, 200);
    const claimed = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' };
    t.is((await ask({ ...json, cookie, ...claimed })).status, 403);
    const made = await ask({ ...json, cookie, 'sec-fetch-site': 'same-origin' });
    const { url } = (await made.json()) as { url: string };
    t.is(await (await fetch(url)).text(), 'x');
    const health = (headers = {}) => fetch(`${origin}/console/health`, { headers });
    t.is((await health()).status, 403);
    t.is((await health({ cookie: 'session=bob' })).status, 403);
    t.like(await (await health({ cookie })).json(), { ok: true, records: { ok: true } });
    const put = { method: 'PUT', headers: { cookie, 'sec-fetch-site': 'cross-site' } };
    t.is((await fetch(`${origin}/console/storage/new-bucket`, put)).status, 403);
  });
});
