/**
 * A person's wait for the verdict on their file, by the command and by the page saved to a disk, beside a program and
 * a page that only read the file.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Figure, median } from '@clockproof/platform/testing/bench';
import { chromiumPath } from '@clockproof/platform/testing/chromium';
import { type Browser, chromium } from 'playwright-core';
import { packageFolder } from '../src/package-folder.js';

const turns = 15;
const vectors = join(packageFolder, '../conformance/vectors/month-proof.json');
const wholeMonth = 'a whole month';

const reading = `document.querySelector('#file').addEventListener('change', async ({ target }) => {
  JSON.parse(await target.files[0].text());
  document.querySelector('#steps').innerHTML = '<li>read</li>'.repeat(7);
})`;

/** Both in turns. @returns the middle of each */
async function timeInTurns(
  subject: () => Promise<void>,
  ceiling: () => Promise<void>,
): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++)
    for (const [side, work] of [subject, ceiling].entries()) {
      const startedAt = performance.now();
      await work();
      times[side]!.push(performance.now() - startedAt);
    }
  return [median(times[0]), median(times[1])];
}

const figureOf = (title: string, [subject, ceiling]: readonly [number, number]): Figure => [
  title,
  `${(subject / ceiling).toFixed(2)}×`,
  'reported',
  `${subject.toFixed(0)} ms`,
  `${ceiling.toFixed(0)} ms`,
];

async function run(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
}

/** From opening the page to the seventh step. */
async function check(browser: Browser, page: string, file: string): Promise<void> {
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(page).href);
  await tab.setInputFiles('#file', file);
  await tab.locator('#steps li:nth-child(7)').waitFor();
  await tab.close();
}

export async function measureVerifier(): Promise<readonly Figure[]> {
  execFileSync(process.execPath, [join(packageFolder, 'verifier/build.mjs')]);
  const page = join(packageFolder, 'dist/verifier/check-a-file.html');
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-bench-'));
  const [file, plain] = [join(folder, 'month.clockproof'), join(folder, 'plain.html')];
  const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as {
    readonly cases: readonly { readonly name: string; readonly input: { readonly file: string } }[];
  };
  writeFileSync(file, cases.find(({ name }) => name === wholeMonth)!.input.file);
  writeFileSync(
    plain,
    `<!doctype html><input id="file" type="file"><ol id="steps"></ol><script type="module">${reading}</script>`,
  );
  const figures: Figure[] = [
    ['size of the page that checks a file', `${Math.round(statSync(page).size / 1_000)} kB`, '≤ 150 kB'],
    figureOf(
      'clockproof-verify FILE beside node that reads it',
      await timeInTurns(
        () => run([join(packageFolder, 'bin/clockproof-verify.js'), file]),
        () => run(['-e', `JSON.parse(fs.readFileSync(${JSON.stringify(file)}, 'utf8'))`]),
      ),
    ),
  ];
  if (chromiumPath === undefined) console.warn('Chromium is missing: the page is not measured');
  else {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    figures.push(
      figureOf(
        'opening the page and giving it a file beside a page that reads it',
        await timeInTurns(
          () => check(browser, page, file),
          () => check(browser, plain, file),
        ),
      ),
    );
    await browser.close();
  }
  rmSync(folder, { recursive: true });
  return figures;
}
