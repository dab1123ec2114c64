import test from 'ava';
import type { Route } from 'playwright-core';
import { inBrowser } from '../browser/chromium.js';
import { bucket, openConsole } from '../browser/console-site.js';

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/plain', buffer });

inBrowser('uploads in the console', () => {
  test.serial(
    'uploads of dropped files pause when the session ends, and continue after the login',
    async (t) => {
      const { page, goTo, storage, login, logout } = await openConsole(t);
      await goTo(`#/${bucket}/files/in%2F`);
      const endSession = async (route: Route) => {
        await logout();
        const { cookie: _, ...headers } = await route.request().allHeaders();
        await route.continue({ headers });
      };
      await page.route(/partNumber=2/, endSession, { times: 1 });
      const size = 9 * 1024 * 1024;
      const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${size})], 'large.bin'));
      return data;
    })()`);
      await page.dispatchEvent('section[aria-label=Files]', 'drop', { dataTransfer: dropped });
      await page.getByText(/Your session has ended/).waitFor();
      await page.getByText('You are not logged in.').waitFor();
      t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 1);
      await login('alice');
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('heading', { name: bucket }).waitFor();
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByText('1 file uploaded').waitFor();
      t.is((await storage.getObjectMeta({ bucket, key: 'in/large.bin' })).size, size);
    },
  );

  test.serial('an upload that was ended elsewhere is reported, and can be retried', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo(`#/${bucket}`);
    const endIt = async (route: Route) => {
      const { uploads } = await storage.listMultipartUploads({ bucket });
      for (const { key, uploadId } of uploads)
        await storage.abortMultipartUpload({ bucket, key, uploadId });
      await route.continue();
    };
    await page.route(/partNumber=1/, endIt, { times: 1 });
    const size = 9 * 1024 * 1024;
    await page.setInputFiles('input[type=file]', [file('large.bin', Buffer.alloc(size))]);
    await page.getByText('This upload was completed or removed elsewhere').waitFor();
    await page.getByRole('button', { name: 'Try large.bin again' }).click();
    await page.getByText('1 file uploaded').waitFor();
    t.is((await storage.getObjectMeta({ bucket, key: 'large.bin' })).size, size);
  });

  test.serial('of many files, 100 are shown, with the failed ones first', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo(`#/${bucket}`);
    await page.route(/f1\.txt/, (route) => route.fulfill({ status: 400 }), { times: 1 });
    const files = Array.from({ length: 150 }, (_, at) => file(`f${at}.txt`, Buffer.from('x')));
    await page.setInputFiles('input[type=file]', files);
    await page.getByText('And 50 more files.').waitFor();
    await page.getByText('1 upload failed').waitFor();
    const rows = page.locator('.upload-panel li');
    t.is(await rows.count(), 101);
    t.regex(String(await rows.first().textContent()), /f1\.txt/);
    await page.getByText('f149.txt', { exact: true }).first().waitFor();
    t.is((await storage.listObjects({ bucket, maxKeys: 1000 })).contents.length, 149);
  });

  test.serial('an unfinished upload is continued with the same file, or removed', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    const body = Buffer.alloc(9 * 1024 * 1024, 'data');
    const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'left.bin' });
    const part = body.subarray(0, 8 * 1024 * 1024);
    await storage.uploadPart({ bucket, key: 'left.bin', uploadId, partNumber: 1, body: part });
    await storage.initiateMultipartUpload({ bucket, key: 'never.bin' });
    await goTo(`#/${bucket}/uploads`);
    const sent: string[] = [];
    page.on('request', (request) => {
      const number = /partNumber=(\d+)/.exec(request.url())?.[1];
      if (number !== undefined) sent.push(number);
    });
    const rowOf = (key: string) => page.getByRole('row').filter({ hasText: key });
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      rowOf('left.bin').getByRole('button', { name: 'Continue' }).click(),
    ]);
    await chooser.setFiles([file('left.bin', body)]);
    await page.getByText('1 file uploaded').waitFor();
    t.deepEqual(sent, ['2']);
    t.true((await (await storage.getObject({ bucket, key: 'left.bin' })).bytes()).equals(body));
    await rowOf('never.bin').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no unfinished uploads.').waitFor();
    t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 0);
  });

  test.serial('another file continues an unfinished upload only after confirmation', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    const part = Buffer.alloc(200 * 1024, 'data');
    const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'in/left.bin' });
    await storage.uploadPart({ bucket, key: 'in/left.bin', uploadId, partNumber: 1, body: part });
    await goTo(`#/${bucket}/uploads`);
    const choose = async (name: string, body: Buffer) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Continue' }).click(),
      ]);
      await chooser.setFiles([file(name, body)]);
    };
    const question = page.getByRole('dialog', { name: 'Is this the right file?' });
    await choose('other.bin', Buffer.from('x'));
    await question.getByText('The upload is called left.bin, and the file other.bin.').waitFor();
    await question.getByText('200 KiB have arrived, but the file has only 1 byte.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    t.is((await storage.listObjects({ bucket })).contents.length, 0);

    const body = Buffer.concat([part, Buffer.from('the rest')]);
    await choose('renamed.bin', body);
    await question.getByRole('button', { name: 'Upload this file' }).click();
    await page.getByText('There are no unfinished uploads.').waitFor();
    const { etag } = await storage.getObjectMeta({ bucket, key: 'in/left.bin' });
    t.regex(etag, /^-/); // The part that had arrived was used, although it is smaller than usual.
    const stored = await storage.getObject({ bucket, key: 'in/left.bin' });
    t.true((await stored.bytes()).equals(body));
  });

  test.serial(
    'the error of a denied upload says what to do, and the upload continues with the permission',
    async (t) => {
      const { page, goTo, storage, login } = await openConsole(t);
      const grant = (...permission: ('READ' | 'LIST' | 'WRITE')[]) =>
        storage.putBucketAcl({
          bucket,
          accessControlList: [{ grantee: [{ id: 'u-bob' }], permission }],
        });
      await grant('READ', 'LIST');
      await login('bob');
      await goTo(`#/${bucket}`);
      await page.getByText(`You are not the owner of ${bucket}.`).waitFor();
      await page.setInputFiles('input[type=file]', [file('a.txt', Buffer.from('x'))]);
      await page.getByText(`You may not upload a.txt to ${bucket}`).waitFor();
      await grant('READ', 'LIST', 'WRITE');
      await page.getByRole('button', { name: 'Continue a.txt' }).click();
      await page.getByText('1 file uploaded').waitFor();
      await goTo('#/no-such-bucket');
      await page.getByText('There is no bucket no-such-bucket.').waitFor();
      t.is((await storage.listObjects({ bucket })).contents.length, 1);
    },
  );
});
