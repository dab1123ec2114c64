import type { Page } from 'playwright-core';

/** Code that runs in pages is passed as text, because tests lack the globals of pages. */
export const isFocused = async (page: Page, name: string) => {
  const label = "element.getAttribute('aria-label') ?? element.textContent";
  const focused = `((element) => (${label}).trim())(document.activeElement)`;
  return (await page.evaluate<string>(focused)) === name;
};

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 60; count++) {
    if (await isFocused(page, name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}.`);
}
