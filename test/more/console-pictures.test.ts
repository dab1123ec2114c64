import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { violationsOn } from '../browser/axe.js';
import { inBrowser } from '../browser/chromium.js';
import { fill, picture } from '../browser/console-data.js';
import { bucket, openConsole } from '../browser/console-site.js';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const now = () => Date.parse('2026-06-15T09:30:00Z');

const HEALTH = {
  ok: true,
  records: { ok: true, milliseconds: 2 },
  blobs: { ok: true, milliseconds: 1 },
};

const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };

/** The pictures in the docs. Each theme and width shows the same views. */
inBrowser('the pictures of the console', () => {
  test.serial.before(() => mkdir(IMAGES, { recursive: true }));

  for (const [suffix, size, colorScheme] of [
    ['', 'wide', 'light'],
    ['-dark', 'wide', 'dark'],
    ['-phone', 'phone', 'light'],
  ] as const) {
    test.serial(`pictures of the console are taken${suffix}`, async (t) => {
      const site = await openConsole(
        t,
        { viewport: SIZES[size], colorScheme, bypassCSP: true },
        { now },
      );
      const { page, goTo, storage, complaints } = site;
      await fill(storage, bucket);
      const shoot = async (view: string) => {
        await page.screenshot({
          path: `${IMAGES}console-${view}${suffix}.png`,
          animations: 'disabled',
        });
        t.deepEqual(await violationsOn(page), [], view);
      };
      // The figures are the same in each run.
      await page.route('**/console/health', (route) => route.fulfill({ json: HEALTH }));
      await goTo('');
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByText('17 objects, ').waitFor();
      await shoot('overview');

      await page.mouse.move(0, 0);
      await goTo(`#/${bucket}`);
      // An upload that does not end, so that the picture shows it.
      await page.route(/partNumber=2/, () => {});
      const film = { name: 'reel-2.mov', mimeType: 'video/quicktime', buffer: Buffer.alloc(17e6) };
      const card = { name: 'card.png', mimeType: 'image/png', buffer: picture(64, 64) };
      await page.setInputFiles('input[type=file]', [card, film]);
      await page.getByRole('button', { name: 'card.png', exact: true }).waitFor();
      await page.waitForTimeout(1000);
      await shoot('files');
      await page.getByRole('button', { name: 'cover.png', exact: true }).click();
      await page.getByText('Lofoten').waitFor();
      await page.getByRole('button', { name: 'Make a link' }).waitFor();
      await page.waitForLoadState('networkidle');
      await shoot('details');

      // The dialog warns that the upload would be interrupted.
      page.once('dialog', (dialog) => dialog.accept());
      await goTo(`#/${bucket}/lifecycle`);
      await page.reload();
      await page.getByRole('spinbutton', { name: 'Days from now' }).fill('40');
      await page.getByRole('button', { name: 'Try the rules' }).click();
      await page.getByText('would be removed').waitFor();
      await page.getByText('would be removed').scrollIntoViewIfNeeded();
      await shoot('lifecycle');
      await goTo(`#/${bucket}/access`);
      await page.getByText('Everyone may read').waitFor();
      await shoot('access');
      await goTo(`#/${bucket}/usage`);
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByText('objects, ').waitFor();
      await shoot('usage');
      t.deepEqual(complaints, []);
    });
  }
});
