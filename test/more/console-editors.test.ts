import type { Grant } from '@bucketware/client';
import test from 'ava';
import { violationsOn } from '../browser/axe.js';
import { inBrowser } from '../browser/chromium.js';
import { bucket, openConsole } from '../browser/console-site.js';
import { tabTo } from '../browser/keyboard.js';
import { alice, bob } from '../http/servers.js';

const key = 'letters/2026.txt';

inBrowser('the editors of the console', () => {
  test.serial('the access rules of one object can be edited by keyboard only', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await storage.as(alice).putObject({ bucket, key, body: 'Dear Bob' });
    const read = async () => (await storage.as(bob).getObject({ bucket, key })).text();
    await t.throwsAsync(read(), { code: 'AccessDenied' });
    await goTo(`#/${bucket}/files/letters%2F`);
    await tabTo(page, '2026.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '2026.txt' }).waitFor();
    await tabTo(page, 'Access');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Access to 2026.txt' });
    await dialog.getByText('Whoever may read it by the rules of the bucket').waitFor();
    await tabTo(page, 'Add a rule');
    await page.keyboard.press('Enter');
    await dialog.getByText('Nobody may read this file.').waitFor();
    await page.keyboard.press('Shift+Tab'); // Remove rule 1
    for (const _ of ['FULL_CONTROL', 'READ', 'Users']) await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('u-bob');
    await dialog.getByText('User u-bob may read this file.').waitFor();
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await dialog.getByText('Saved.').waitFor();
    t.is(await read(), 'Dear Bob');

    const list = dialog.getByRole('combobox', { name: 'Reading is decided by' });
    t.is(await list.inputValue(), 'own');
    await dialog.getByRole('checkbox', { name: 'FULL_CONTROL' }).check();
    await dialog.getByText('User u-bob may read, and change the access to, this file.').waitFor();
    await dialog.getByRole('textbox', { name: 'Users' }).fill('*');
    await dialog.getByText('When you save this, anyone on the internet').waitFor();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    t.is(await dialog.getByRole('textbox', { name: 'Users' }).inputValue(), 'u-bob');
    // A list without rules is the same as no list.
    await dialog.getByRole('button', { name: 'Remove rule 1' }).click();
    await dialog.getByText('Only the owner of the bucket may read this file.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Saved.').waitFor();
    t.deepEqual(await storage.getObjectAcl({ bucket, key }), { accessControlList: [] });
    await list.selectOption('The rules of the bucket');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Saved.').waitFor();
    await t.throwsAsync(storage.getObjectAcl({ bucket, key }), { code: 'ObjectAclNotExists' });

    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: '2026.txt', exact: true }).waitFor();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test.serial(`the access rules of one object on a phone, ${colorScheme}`, async (t) => {
      const viewport = { width: 390, height: 780 };
      const site = await openConsole(t, { viewport, colorScheme, bypassCSP: true });
      const { page, goTo, storage, complaints } = site;
      const accessControlList: Grant[] = [
        { grantee: [{ id: 'u-bob' }], permission: ['READ'] },
        { grantee: [{ id: '*' }], permission: ['READ'], effect: 'Deny' },
      ];
      await storage.as(alice).putObject({ bucket, key, body: 'Dear Bob' });
      await storage.as(alice).putObjectAcl({ bucket, key, accessControlList });
      await goTo(`#/${bucket}/files/letters%2F`);
      await page.getByRole('button', { name: '2026.txt', exact: true }).click();
      await page.getByRole('button', { name: 'Access', exact: true }).click();
      await page.getByText('Everyone may never read this file.').waitFor();
      await page.getByRole('checkbox', { name: 'FULL_CONTROL' }).first().check();
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      t.deepEqual(await violationsOn(page), []);
      // Nothing may be wider than the screen.
      t.is(await page.evaluate('document.querySelector("dialog").scrollWidth <= 390'), true);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: '2026.txt', exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('have unsaved changes').waitFor();
      t.deepEqual(await violationsOn(page), []);
      t.deepEqual(complaints, []);
    });
  }

  test.serial('the days of a lifecycle rule can be cleared and typed again', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    await goTo(`#/${bucket}/lifecycle`);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const days = page.getByLabel('Days', { exact: true });
    await days.fill('');
    await page.getByText('Deletes files below tmp/ … days after they were last changed.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await t.throwsAsync(storage.getBucketLifecycle({ bucket }), {
      code: 'NoLifecycleConfiguration',
    });
    await days.pressSequentially('60');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { rule } = await storage.getBucketLifecycle({ bucket });
    t.deepEqual(rule[0]?.expires, { afterDays: 60 });
  });

  test.serial('rules that were changed elsewhere are replaced only after a warning', async (t) => {
    const { page, goTo, storage } = await openConsole(t);
    const mine = storage.as(alice);
    const to = (id: string): Grant => ({ grantee: [{ id }], permission: ['READ'] });
    const listed = async () =>
      (await mine.getBucketAcl({ bucket })).accessControlList.map(({ grantee }) => grantee[0]?.id);
    await mine.putBucketAcl({ bucket, accessControlList: [to('u-bob')] });
    await goTo(`#/${bucket}/access`);
    const users = page.getByRole('textbox', { name: 'Users' });
    await users.fill('u-dave');
    await mine.putBucketAcl({ bucket, accessControlList: [to('u-carol')] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('These rules were changed elsewhere in the meantime.').waitFor();
    t.deepEqual(await listed(), ['u-carol']);
    t.is(await users.inputValue(), 'u-dave');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    t.deepEqual(await listed(), ['u-dave']);
  });

  test.serial(
    'unsaved changes are kept and marked, and leaving them asks for confirmation',
    async (t) => {
      const { page, goTo, storage, login, logout } = await openConsole(t);
      const mine = storage.as(alice);
      await mine.putObject({ bucket, key: 'a.txt', body: 'a' });
      await mine.putBucket({ bucket: 'other' });
      const tab = (name: string) => page.getByRole('navigation').getByRole('link', { name });
      const dialogs: string[] = [];
      page.on('dialog', async (dialog) => {
        dialogs.push(dialog.type());
        await dialog.dismiss();
      });
      const origins = page.getByRole('textbox', { name: 'Origins' });
      await goTo(`#/${bucket}/cors`);
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await origins.fill('https://app.example.com');

      // Other tabs, another bucket, and the end of the session.
      await tab('Lifecycle').click();
      await page.getByText('Nothing is removed automatically.').waitFor();
      await tab('Files').click();
      await page.getByRole('link', { name: 'other' }).click();
      await page.getByText('This bucket is empty.').waitFor();
      await logout();
      await page.getByRole('link', { name: bucket }).click();
      await page.getByText('You are not logged in.').waitFor();
      await login('alice');
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('link', { name: `${bucket} (unsaved changes)` }).waitFor();
      await tab('CORS (unsaved changes)').click();
      t.is(await origins.inputValue(), 'https://app.example.com');

      // A reload, or closing the page.
      await page.evaluate('setTimeout(() => location.reload())');
      await page.waitForEvent('dialog');
      t.deepEqual(dialogs, ['beforeunload']);
      t.is(await origins.inputValue(), 'https://app.example.com');

      // Another user has changed the list meanwhile.
      const theirs = { allowedOrigins: ['https://b.example'], allowedMethods: ['GET'] };
      await mine.putBucketCors({ bucket, corsConfiguration: [theirs] });
      await tab('Access').click();
      await page
        .getByText('Only the owner has access.')
        .or(page.getByText('Users'))
        .first()
        .waitFor();
      await tab('CORS').click();
      await page.getByText('These rules were changed elsewhere in the meantime.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      t.is(await page.getByText(/unsaved changes/i).count(), 0);

      // The rules of an object, after its dialog was closed.
      await tab('Files').click();
      await page.getByRole('button', { name: 'a.txt', exact: true }).click();
      await page.getByRole('button', { name: 'Access', exact: true }).click();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByRole('textbox', { name: 'Users' }).fill('u-bob');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Key' }).fill('b.txt');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.getByText('The access rules of b.txt have unsaved changes.').waitFor();
      await page.getByRole('button', { name: 'Continue editing' }).click();
      t.is(await page.getByRole('textbox', { name: 'Users' }).inputValue(), 'u-bob');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      t.is((await storage.getObjectAcl({ bucket, key: 'b.txt' })).accessControlList.length, 1);

      // There are no unsaved changes left.
      await page.reload();
      await page.getByRole('heading', { name: bucket }).waitFor();
      t.deepEqual(dialogs, ['beforeunload']);
    },
  );
});
