/** Pages compared with pictures of them that are kept here, in `pictures/`. */
import { fileURLToPath } from 'node:url';
import { differenceOf as differenceOfPage } from '@clockproof/platform/testing/pictures';
import { type Person, settle, speak, widths } from './chromium.js';

const keptPictures = {
  folder: fileURLToPath(new URL('pictures/', import.meta.url)),
  reports: fileURLToPath(new URL('../../../.reports/pictures/', import.meta.url)),
  colours: ['--bg', '--panel', '--sunk', '--soft', '--ink', '--accent', '--work', '--away', '--warn-bg', '--bad'],
};

type Width = keyof typeof widths;
type Language = 'de' | 'en';
type Theme = 'light' | 'dark';
export type Look = `${Width}-${Language}-${Theme}`;

/** @returns what differs from the picture that is kept, with the files to look at; undefined if nothing does */
export async function differenceOf({ page }: Person, name: string, look: Look): Promise<string | undefined> {
  const [width, language, theme] = look.split('-') as [Width, Language, Theme];
  await page.setViewportSize(widths[width]);
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' });
  await speak(page, language);
  // The pointer and the focus are nowhere.
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0); document.fonts.ready.then(() => undefined)');
  await settle(page);
  return differenceOfPage(page, `${name === '' ? 'today' : name}-${look}.png`, keptPictures);
}
