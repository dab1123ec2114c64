import test from 'ava';
import type { Page, Route } from 'playwright-core';
import { inBrowser } from '../browser/chromium.js';
import { bucket, type ConsoleSite, openConsole } from '../browser/console-site.js';

const MIB = 1024 * 1024;

const file = (name: string, body: string | Buffer) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(body),
});

const choose = (page: Page, ...files: ReturnType<typeof file>[]) =>
  page.setInputFiles('input[aria-label="Files to upload"]', files);

const textOf = async (storage: ConsoleSite['storage'], key: string) =>
  (await storage.getObject({ bucket, key })).text();

inBrowser('replacing files in the console', () => {
  test.serial('no upload replaces a file before the user has agreed', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    const put = (key: string) => storage.putObject({ bucket, key, body: 'old' });
    for (let at = 0; at < 201; at++) await put(`f${String(at).padStart(3, '0')}`);
    for (const key of ['zebra', 'sub/zebra']) await put(key);
    const question = page.getByRole('dialog', { name: 'Replace 1 file?' });
    const answer = async (key: string, action: 'Cancel' | 'Replace') => {
      await question.getByText(key, { exact: true }).waitFor();
      t.is(await textOf(storage, key), 'old', key);
      await question.getByRole('button', { name: action }).click();
      await question.waitFor({ state: 'detached' });
    };

    await goTo(`#/${bucket}`);
    await choose(page, file('f000', 'new'));
    await answer('f000', 'Cancel');
    // Beyond the entries that are loaded, together with a file that is new.
    await choose(page, file('zebra', 'new'), file('yak', 'new'));
    await answer('zebra', 'Cancel');
    await page.getByText('1 file uploaded').waitFor();
    t.is(await textOf(storage, 'yak'), 'new');
    await page.getByRole('button', { name: 'Clear' }).click();
    // In a folder that was dropped.
    await page.evaluate(`(() => {
      const zebra = { isFile: true, fullPath: '/sub/zebra', file: (found) => found(new File(['new'], 'zebra')) };
      const lists = [[zebra], []];
      const sub = { isFile: false, createReader: () => ({ readEntries: (found) => found(lists.shift()) }) };
      DataTransferItem.prototype.webkitGetAsEntry = () => sub;
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([''], 'sub'));
      document.querySelector('section[aria-label=Files]').dispatchEvent(new DragEvent('drop', { dataTransfer }));
    })()`);
    await answer('sub/zebra', 'Cancel');
    // Not found by the search.
    await goTo(`#/${bucket}/files/f00`);
    await choose(page, file('zebra', 'new'));
    await answer('zebra', 'Replace');
    await page.getByText('1 file uploaded').waitFor();
    t.is(await textOf(storage, 'zebra'), 'new');
    t.deepEqual(await Promise.all(['f000', 'sub/zebra'].map((key) => textOf(storage, key))), [
      'old',
      'old',
    ]);
  });

  test.serial('the question about a large file comes before its data is sent', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    for (const key of ['large', 'small']) await storage.putObject({ bucket, key, body: 'old' });
    await goTo(`#/${bucket}`);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (/^(PUT|POST)$/.test(request.method())) sent.push(new URL(request.url()).pathname);
    });
    await choose(page, file('large', Buffer.alloc(9 * MIB)), file('small', 'new'));
    const question = page.getByRole('dialog', { name: 'Replace 2 files?' });
    await question.waitFor();
    t.deepEqual(sent, [`/console/storage/${bucket}/small`]);
    await question.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('2 files uploaded').waitFor();
    t.is((await storage.getObjectMeta({ bucket, key: 'large' })).size, 9 * MIB);
    t.is(await textOf(storage, 'small'), 'new');
  });

  test.serial('a file that someone stores during an upload is not replaced either', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo(`#/${bucket}`);
    const storeTheirs = async (route: Route) => {
      await storage.putObject({ bucket, key: 'large', body: 'theirs' });
      await route.continue();
    };
    const sent: string[] = [];
    page.on('request', (request) => {
      const number = /partNumber=(\d+)/.exec(request.url())?.[1];
      if (number !== undefined) sent.push(number);
    });
    const question = page.getByRole('dialog', { name: 'Replace 1 file?' });
    await page.route(/partNumber=2/, storeTheirs, { times: 1 });
    await choose(page, file('large', Buffer.alloc(9 * MIB)));
    const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    t.is(await textOf(storage, 'large'), 'theirs');
    await removed;
    t.deepEqual((await storage.listMultipartUploads({ bucket })).uploads, []);

    await storage.deleteObject({ bucket, key: 'large' });
    await page.route(/partNumber=2/, storeTheirs, { times: 1 });
    await choose(page, file('large', Buffer.alloc(9 * MIB)));
    await question.waitFor();
    sent.length = 0;
    await question.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('1 file uploaded').waitFor();
    t.is((await storage.getObjectMeta({ bucket, key: 'large' })).size, 9 * MIB);
    t.deepEqual(sent, []); // All data had arrived.
  });

  test.serial('continuing an unfinished upload asks, and keeps what has arrived', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    const upload = { bucket, key: 'left' };
    const { uploadId } = await storage.initiateMultipartUpload(upload);
    await storage.uploadPart({ ...upload, uploadId, partNumber: 1, body: 'data' });
    await storage.putObject({ ...upload, body: 'old' });
    await goTo(`#/${bucket}/uploads`);
    const question = page.getByRole('dialog', { name: 'Replace 1 file?' });
    for (const action of ['Cancel', 'Replace']) {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Continue' }).click(),
      ]);
      await chooser.setFiles([file('left', 'data')]);
      await question.waitFor();
      t.is(await textOf(storage, 'left'), 'old');
      t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 1);
      await question.getByRole('button', { name: action }).click();
      await question.waitFor({ state: 'detached' });
    }
    await page.getByText('There are no unfinished uploads.').waitFor();
    t.is(await textOf(storage, 'left'), 'data');
  });

  test.serial('an upload whose response was lost continues without a question', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo(`#/${bucket}`);
    const loseResponse = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    const isUpload = (url: URL) => url.pathname.endsWith('/a.txt');
    await page.route(isUpload, loseResponse, { times: 1 });
    await choose(page, file('a.txt', 'mine'));
    await page.getByRole('button', { name: 'Continue a.txt' }).click();
    await page.getByText('1 file uploaded').waitFor();
    // Only the user's own data is recognized.
    await storage.deleteObject({ bucket, key: 'a.txt' });
    await page.route(isUpload, loseResponse, { times: 1 });
    await choose(page, file('a.txt', 'mine'));
    const goOn = page.getByRole('button', { name: 'Continue a.txt' });
    await goOn.waitFor();
    await storage.putObject({ bucket, key: 'a.txt', body: 'them' });
    await goOn.click();
    await page.getByRole('dialog', { name: 'Replace 1 file?' }).waitFor();
    t.is(await textOf(storage, 'a.txt'), 'them');
  });

  test.serial('a rename never replaces a file', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await storage.putObject({ bucket, key: 'a', body: 'a' });
    await goTo(`#/${bucket}`);
    await page.getByRole('button', { name: 'a', exact: true }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename' });
    await rename.getByRole('textbox', { name: 'Key' }).fill('b');
    await storage.putObject({ bucket, key: 'b', body: 'b' });
    await page.route(/photos\/b$/, (route) =>
      route.request().method() === 'HEAD' ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await rename.getByRole('button', { name: 'Rename' }).click();
    await rename.getByText('An object with this key already exists.').waitFor();
    t.is(await textOf(storage, 'b'), 'b');
    await rename.getByRole('textbox', { name: 'Key' }).fill('c');
    await rename.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'c', exact: true }).waitFor();
    t.is(await textOf(storage, 'c'), 'a');
  });

  test.serial('deleting the object of a folder keeps what is in the folder', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    for (const key of ['sub/', 'sub/a', 'sub/b/c'])
      await storage.putObject({ bucket, key, body: 'x' });
    await goTo(`#/${bucket}/files/sub%2F`);
    const confirm = () =>
      page
        .getByRole('dialog', { name: 'Delete 1 item?' })
        .getByRole('button', { name: 'Delete', exact: true })
        .click();
    const own = page.getByRole('button', { name: '(the folder itself)' });
    await own.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await confirm();
    await own.waitFor({ state: 'detached' });
    const keysIn = async () =>
      (await storage.listObjects({ bucket })).contents.map(({ key }) => key);
    t.deepEqual(await keysIn(), ['sub/a', 'sub/b/c']);
    await storage.putObject({ bucket, key: 'sub/', body: '' });
    await page.reload();
    await page.getByRole('checkbox', { name: 'Select (the folder itself)' }).check();
    await page.getByRole('button', { name: 'Delete 1 item' }).click();
    await confirm();
    await own.waitFor({ state: 'detached' });
    t.deepEqual(await keysIn(), ['sub/a', 'sub/b/c']);
    await page.getByRole('checkbox', { name: 'Select sub/b/' }).check();
    await page.getByRole('button', { name: 'Delete 1 item' }).click();
    await confirm();
    await page.getByRole('link', { name: 'b/' }).waitFor({ state: 'detached' });
    t.deepEqual(await keysIn(), ['sub/a']);
  });
});
