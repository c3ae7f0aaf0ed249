import { inflateSync } from 'node:zlib';
import { qrPathOf } from '@clockproof/platform/bytes/qr-code';
import { expect, it } from '@jest/globals';
import type { Permit } from '../../working-time/evaluations.js';
import type { PresentedSheet } from './present.js';
import { sheetDocument } from './sheet-document.js';

const permit = undefined as unknown as Permit<'sheet_exports'>;

function sheetOf(days: number): PresentedSheet {
  return {
    month: '2026-10',
    person: { id: 1, name: 'Ada Lang' },
    company: 'Nord',
    time_zone: 'Europe/Berlin',
    days: Array.from({ length: days }, (_, index) => ({
      date: `2026-10-${String((index % 31) + 1).padStart(2, '0')}`,
      worked_minutes: 0,
      target_minutes: 480,
      warnings: [],
    })),
    entries: [],
    corrections: [],
    reopenings: [],
    sign_offs: [],
    digest: 'a'.repeat(64),
  } as unknown as PresentedSheet;
}

const streamsOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/Filter \/[A-Za-z]+\n>>\nstream\n([\s\S]*?)[\n]endstream/g)].map(([, stream]) =>
    inflateSync(Buffer.from(stream!, 'latin1')).toString('latin1'),
  );

/** The number of texts on each page of a PDF. */
const textsByPage = (pdf: Buffer): number[] =>
  streamsOf(pdf)
    .map((content) => content.match(/\bT[jJ]\b/g)?.length ?? 0)
    .filter((texts) => texts > 0);

it('a sheet has the sign-offs above the lines to sign on, for a month of any length', async () => {
  const lastPages: Record<number, number> = {};
  for (let days = 52; days <= 66; days++) {
    const pages = textsByPage(await sheetDocument(permit, sheetOf(days), 'en', true));
    if (pages.length > 1) lastPages[days] = pages.at(-1)!;
  }
  expect(Object.keys(lastPages).length).toBeGreaterThan(3);
  // The header, the sign-offs and their "none", two captions, the digest.
  expect(Object.entries(lastPages).filter(([, texts]) => texts < 6)).toEqual([]);
});

it('a sheet ends with root, its QR code and tokens of a closed month', async () => {
  const openSheet = sheetOf(5);
  const tokens = { company_token: 'c'.repeat(26), person_token: 'd'.repeat(26) };
  const proof = { root: 'b'.repeat(64), revision: 2, ...tokens, sender: `0x${'e'.repeat(64)}` };
  const [textCount] = textsByPage(await sheetDocument(permit, openSheet, 'en', true));
  const pdf = await sheetDocument(permit, { ...openSheet, proof }, 'en', true);
  expect(textsByPage(pdf)).toEqual([textCount! + 3]);
  const squares = streamsOf(pdf).map((content) => content.match(/^h$/gm)?.length ?? 0);
  expect(Math.max(...squares)).toBe(qrPathOf(proof.root).path.match(/z/g)!.length);
});

it('a sheet says that its sums leave out today, until its month is over', async () => {
  const minutes = { worked_minutes: 60, target_minutes: 480, difference_minutes: -420, balance_minutes: -420 };
  const sheet = { ...sheetOf(5), balance: minutes as PresentedSheet['balance'] };
  const lettersOf = async (isOver: boolean) =>
    streamsOf(await sheetDocument(permit, sheet, 'en', isOver))
      .flatMap(
        (content) =>
          content
            .match(/.*\bTJ\b/g)
            ?.join('')
            .match(/<[0-9a-f]+>/g) ?? [],
      )
      .reduce((sum, text) => sum + (text.length - 2) / 4, 0);
  expect((await lettersOf(false)) - (await lettersOf(true))).toBe('Up to yesterday: '.length);
});

it('a sheet names the break that was deducted', async () => {
  const plainSheet = sheetOf(5);
  const [firstDay, ...otherDays] = plainSheet.days;
  const days = [{ ...firstDay!, deducted_break_minutes: 30 }, ...otherDays];
  const [plainCount] = textsByPage(await sheetDocument(permit, plainSheet, 'de', true));
  expect(textsByPage(await sheetDocument(permit, { ...plainSheet, days }, 'de', true))).toEqual([plainCount! + 1]);
});
