/**
 * Pages compared with pictures of them that are kept here, in `pictures/`. Other versions of Chromium draw letters a
 * little differently, which the comparison bears; a colour, a size or a missing part it does not.
 * `UPDATE=1` takes them again; look at them before they are committed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Person, settled, speak, widths } from './chromium.js';

type Compare = (
  actual: Buffer,
  expected: Buffer,
  options: { readonly threshold: number; readonly maxDiffPixelRatio: number },
) => { readonly errorMessage: string; readonly diff?: Buffer } | null;
/** The comparison of Playwright's own tests; its package has no types for it. */
const { utils } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as {
  readonly utils: { getComparator(type: 'image/png'): Compare };
};
const compare = utils.getComparator('image/png');
/** Of the pixels that may differ; and how much a pixel may, in the difference that eyes see (0 to 1). */
const tolerance = { maxDiffPixelRatio: 0.01, threshold: 0.2 };
const kept = fileURLToPath(new URL('pictures/', import.meta.url));
const reports = fileURLToPath(new URL('../../../.reports/pictures/', import.meta.url));

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
  await settled(page);
  const actual = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
  const file = `${name === '' ? 'today' : name}-${look}.png`;
  if (process.env['UPDATE'] !== undefined) {
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, file), actual);
    return undefined;
  }
  const path = join(kept, file);
  const found = existsSync(path) ? compare(actual, readFileSync(path), tolerance) : { errorMessage: 'no picture kept' };
  if (found === null) return undefined;
  mkdirSync(reports, { recursive: true });
  writeFileSync(join(reports, file), actual);
  if (found.diff !== undefined) writeFileSync(join(reports, file.replace('.png', '.diff.png')), found.diff);
  return `${file}: ${found.errorMessage.trim()} See .reports/pictures/.`;
}
