/**
 * Compares pages with their kept pictures. Other versions of Chromium draw letters a little differently, which the
 * comparison tolerates; it does not tolerate another colour or size, or a missing part. `UPDATE=1` takes the pictures
 * again; look at them before they are committed.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Page } from 'playwright-core';

/** The message of picture-difference.mjs. */
interface Difference {
  readonly found: { readonly errorMessage: string; readonly diff?: Uint8Array } | null;
  readonly colours: readonly [ReadonlyMap<number, number>, ReadonlyMap<number, number>];
}

/** The share of pixels that may differ; and the tolerance of a pixel, in the difference that eyes see (0 to 1). */
const tolerance = { maxDiffPixelRatio: 0.01, threshold: 0.2 };
/** A colour counts from this many pixels on; their number may then differ by this factor. */
const colours = { pixels: 30, times: 2 };

export interface KeptPictures {
  readonly folder: string;
  /** The folder for a differing picture, with its differences. */
  readonly reports: string;
  /**
   * Custom properties that hold the page's colours. A link or a glyph has too few pixels to matter among all of them,
   * so each colour is counted as well.
   */
  readonly colours: readonly string[];
}

/** @returns the difference from the kept picture, with the files to look at; undefined if there is none */
export async function differenceOf(page: Page, file: string, keptPictures: KeptPictures): Promise<string | undefined> {
  const actual = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
  const path = join(keptPictures.folder, file);
  if (process.env['UPDATE'] !== undefined) {
    mkdirSync(keptPictures.folder, { recursive: true });
    writeFileSync(path, actual);
    return undefined;
  }
  const difference = existsSync(path) ? await compare(actual, readFileSync(path)) : undefined;
  const comparison = difference === undefined ? { errorMessage: 'no picture kept' } : difference.found;
  const words =
    comparison?.errorMessage.trim() ?? (await otherColours(page, difference!.colours, keptPictures.colours));
  if (words === undefined) return undefined;
  mkdirSync(keptPictures.reports, { recursive: true });
  writeFileSync(join(keptPictures.reports, file), actual);
  if (comparison?.diff !== undefined)
    writeFileSync(join(keptPictures.reports, file.replace('.png', '.diff.png')), comparison.diff);
  return `${file}: ${words} See ${keptPictures.reports}.`;
}

async function compare(...pictures: readonly [actual: Buffer, expected: Buffer]): Promise<Difference> {
  const thread = new Worker(new URL('picture-difference.mjs', import.meta.url), {
    workerData: { pictures, tolerance },
  });
  const [difference] = (await once(thread, 'message')) as [Difference];
  return difference;
}

async function otherColours(
  page: Page,
  [actualColours, keptColours]: Difference['colours'],
  names: readonly string[],
): Promise<string | undefined> {
  const values = await page.evaluate<readonly string[]>(
    `(() => {
      const probe = document.createElement('i');
      document.body.append(probe);
      const values = ${JSON.stringify(names)}.map((name) => {
        probe.style.color = 'var(' + name + ')';
        return getComputedStyle(probe).color;
      });
      probe.remove();
      return values;
    })()`,
  );
  for (const [index, value] of values.entries()) {
    const [red, green, blue] = value.match(/\d+/g)!.map(Number) as [number, number, number];
    const number = (red << 16) | (green << 8) | blue;
    const [larger, smaller] = [actualColours.get(number) ?? 0, keptColours.get(number) ?? 0].sort((a, b) => b - a) as [
      number,
      number,
    ];
    if (larger >= colours.pixels && larger > smaller * colours.times)
      return `${names[index]} has ${actualColours.get(number) ?? 0} pixels, and ${keptColours.get(number) ?? 0} in the picture kept.`;
  }
  return undefined;
}
