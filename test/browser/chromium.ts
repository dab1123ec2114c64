import { existsSync } from 'node:fs';
import test from 'ava';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const { CHROMIUM } = process.env;
const executablePath = (CHROMIUM === undefined ? PLACES : [CHROMIUM]).find(existsSync);

let browser: Browser;

/** The browser for the tests of a file. */
export const theBrowser = (): Browser => browser;

/** Defines tests in a real browser, or a skipped test that gives the reason. */
export function inBrowser(what: string, define: () => void): void {
  if (executablePath === undefined) {
    test(`${what} in a real browser`, (t) => {
      const places = CHROMIUM ?? PLACES.join(', ');
      t.log(`SKIPPED: there is no browser at ${places}. Install the Debian package chromium.`);
      t.pass();
    });
    return;
  }
  // Before the hooks of the file itself.
  test.serial.before(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  test.after.always(() => browser?.close());
  define();
}
