/**
 * A sheet as PDF, on A4. The library and the fonts are loaded when the first one is asked for. DejaVu has the letters
 * of European names; the WOFF2 fonts of the pages come in parts by script, which pdfkit cannot combine.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { qrPathOf } from '@clockproof/platform/bytes/qr-code';
import { inLanguage } from '../../people/language.js';
import type { Permit } from '../../working-time/evaluations.js';
import type { PresentedSheet } from './present.js';
import { clockTime, linesOf, type SheetWording } from './sheet-table.js';

const german = {
  title: 'Stundenzettel',
  person: (name: string, number: string | undefined) => (number === undefined ? name : `${name} · ${number}`),
  columns: ['Tag', 'Beginn', 'Ende', 'Pausen', 'Arbeit', 'Soll', 'Abwesenheit', 'Nachweis'],
  sums: (work: string, target: string, difference: string, balance: string) =>
    `Arbeit ${work} · Soll ${target} · Differenz ${difference} · Saldo ${balance}`,
  warnings: 'Hinweise',
  corrections: 'Korrekturen',
  signOffs: 'Freigaben',
  reopenings: 'Wiederöffnungen',
  none: 'keine',
  untilYesterday: 'Bis gestern:',
  deducted: 'Abzug',
  role: { person: 'Person', approver: 'Freigabe' },
  void: 'ungültig, weil sich diese Tage geändert haben:',
  paper: ['Datum, Unterschrift der Person', 'Datum, Unterschrift der Freigabe'],
  digest: 'Prüfsumme',
  root: (root: string, revision: number) => `Fingerabdruck ${root} · Fassung ${revision}`,
  tokens: (company: string, person: string | undefined) =>
    `Kennung des Unternehmens ${company}${person === undefined ? '' : ` · der Person ${person}`}`,
  sender: (address: string) => `Absender auf dem Ledger ${address}`,
  status: { pending: 'wartet auf Freigabe', rejected: 'zählt nicht', open: 'offen', clock_out_missing: 'Ende fehlt' },
  actions: { in: 'Kommen', break_start: 'Pause', break_end: 'Zurück', out: 'Gehen' },
  sources: {
    web: 'Webanwendung',
    extension: 'Integration',
    personal_link: 'verknüpfte App',
    terminal: 'Karte',
    offline: 'Karte, offline',
    import: 'Import',
  },
  proofs: { badge: 'nachgewiesen', badge_pin: 'nachgewiesen, mit PIN', none: 'nicht nachgewiesen' },
  corrected: 'Korrektur',
  changes: {
    recorded: 'erfasst',
    corrected: 'korrigiert',
    approved: 'genehmigt',
    rejected: 'abgelehnt',
    struck_out: 'gestrichen',
  },
};

const english: typeof german = {
  title: 'Daily sheet',
  person: german.person,
  columns: ['Day', 'Start', 'End', 'Breaks', 'Worked', 'Target', 'Absence', 'Evidence'],
  sums: (work, target, difference, balance) =>
    `Worked ${work} · target ${target} · difference ${difference} · balance ${balance}`,
  warnings: 'Hints',
  corrections: 'Corrections',
  signOffs: 'Sign-offs',
  reopenings: 'Re-openings',
  none: 'none',
  untilYesterday: 'Up to yesterday:',
  deducted: 'deducted',
  role: { person: 'Person', approver: 'Approver' },
  void: 'void, because these days have changed:',
  paper: ['Date, signature of the person', 'Date, signature of the approver'],
  digest: 'Digest',
  root: (root, revision) => `Fingerprint ${root} · revision ${revision}`,
  tokens: (company, person) =>
    `Token of the company ${company}${person === undefined ? '' : ` · of the person ${person}`}`,
  sender: (address) => `Sender on the ledger ${address}`,
  status: { pending: 'awaits approval', rejected: 'does not count', open: 'open', clock_out_missing: 'no clock-out' },
  actions: { in: 'In', break_start: 'Break', break_end: 'Back', out: 'Out' },
  sources: {
    web: 'web application',
    extension: 'integration',
    personal_link: 'linked app',
    terminal: 'badge',
    offline: 'badge, offline',
    import: 'import',
  },
  proofs: { badge: 'proven', badge_pin: 'proven, with PIN', none: 'not proven' },
  corrected: 'correction',
  changes: {
    recorded: 'recorded',
    corrected: 'corrected',
    approved: 'approved',
    rejected: 'rejected',
    struck_out: 'struck out',
  },
};

/** The codes of the contract in the reader's words; a code that has none yet stands as it is. */
export function sheetWording(language: string): SheetWording {
  const words = inLanguage(language, { de: german, en: english });
  const wordOf = (wordsByCode: Readonly<Record<string, string>>, code: string) => wordsByCode[code] ?? code;
  return {
    stamp: ({ action, source, proof, corrected: isCorrected }, at) => {
      const sourceParts = source === undefined ? undefined : [wordOf(words.sources, source.kind), source.name];
      const from = isCorrected === true ? [words.corrected] : (sourceParts ?? []).filter((part) => part !== undefined);
      const parts = [`${at} ${wordOf(words.actions, action)}`, from.join(' ')].filter((part) => part !== '');
      return `${parts.join(', ')}${proof === undefined ? '' : ` (${wordOf(words.proofs, proof)})`}`;
    },
    change: (change) => wordOf(words.changes, change),
  };
}

const widths = [52, 34, 34, 84, 40, 40, 86, 145];
const margin = 40;
const bottom = 800;
/** Height of the signature lines, and of digest, root, its code and tokens below them. */
const signatureHeight = 135;
/** With 1.5 points a module: phones read it from paper. */
const codeWidth = 66;

/**
 * @param language of the reader; the words of the sheet itself come in it already
 * @param isOver whether the month has ended: until then the sums leave out today and the days to come
 */
export async function sheetDocument(
  _permit: Permit<'sheet_exports'>,
  sheet: PresentedSheet,
  language: string,
  isOver: boolean,
): Promise<Buffer> {
  const words = inLanguage(language, { de: german, en: english });
  const { default: Pdf } = await import('pdfkit');
  const doc = new Pdf({
    size: 'A4',
    margin,
    // Equal sheets give equal bytes.
    info: { Title: `${words.title} ${sheet.month}`, CreationDate: new Date(0) },
    lang: language,
  });
  const chunks: Buffer[] = [];
  const pdf = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  const title = `${words.title} ${sheet.month}`;
  const person = `${words.person(sheet.person.name, sheet.personnel_number)} · ${sheet.company}`;
  const paper = createPaper(doc, `${title} · ${person}`);
  const lines = linesOf(sheet, sheetWording(language));
  paper.line(title, { weight: 'bold', size: 15 });
  paper.line(person, { size: 10 });
  paper.skip(8);
  paper.row(words.columns, 'bold');
  for (const line of lines) {
    paper.row(cellsOf(line, words, language));
    // Other requests wait no longer than for a line.
    await setImmediate();
  }
  const { balance } = sheet;
  if (balance !== undefined) {
    paper.skip(4);
    const sums = words.sums(
      duration(balance.worked_minutes),
      duration(balance.target_minutes),
      duration(balance.difference_minutes),
      duration(balance.balance_minutes),
    );
    paper.line(isOver ? sums : `${words.untilYesterday} ${sums}`, { weight: 'bold', size: 9 });
  }
  const sections = sectionsOf(sheet, lines, words, language);
  for (const [index, [heading, texts]] of sections.entries()) {
    paper.skip(6);
    // The signature lines never stand alone on a page.
    if (index === sections.length - 1) paper.keepTogether([heading, ...texts]);
    paper.line(heading, { weight: 'bold', size: 9 });
    for (const text of texts.length === 0 ? [words.none] : texts) {
      paper.line(text);
      await setImmediate();
    }
  }
  paper.signatures(words.paper);
  const { digest, proof } = sheet;
  const marks = proof && [
    words.root(proof.root, proof.revision),
    words.tokens(proof.company_token, proof.person_token),
    ...(proof.sender === undefined ? [] : [words.sender(proof.sender)]),
  ];
  if (proof !== undefined) paper.code(proof.root);
  for (const mark of [`${words.digest} ${digest}`, ...(marks ?? [])]) paper.line(mark, { size: 6 });
  doc.end();
  return pdf;
}

/**
 * Writes from top to bottom, on a new page if there is no room.
 * @param header of each page but the first
 */
function createPaper(doc: PDFKit.PDFDocument, header: string) {
  const folder = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
  const fonts = {
    regular: join(folder, 'DejaVuSansCondensed.ttf'),
    bold: join(folder, 'DejaVuSansCondensed-Bold.ttf'),
  };
  type Weight = keyof typeof fonts;
  let y = margin;
  const room = (height: number) => {
    if (y + height <= bottom) return;
    doc.addPage();
    doc.font(fonts.regular).fontSize(7);
    doc.text(clean(header), margin, margin, { width: 515, height: 9, ellipsis: true });
    y = margin + 16;
  };
  return {
    /** Begins a new page unless these lines and the signatures have room on this one. */
    keepTogether(texts: readonly string[]) {
      doc.font(fonts.regular).fontSize(9);
      const heights = texts.map((text) => doc.heightOfString(clean(text), { width: 515 }) + 2);
      const height = heights.reduce((sum, lineHeight) => sum + lineHeight, signatureHeight);
      room(Math.min(height, bottom - margin - 16));
    },
    skip(height: number) {
      y += height;
    },
    /** A QR code at the right. The next text stands beside it. */
    code(text: string) {
      const { size, path } = qrPathOf(text);
      room(codeWidth);
      doc.save();
      doc.translate(margin + 515 - codeWidth, y).scale(codeWidth / size);
      doc.path(path).fill('black').restore();
    },
    line(text: string, { size = 8, weight = 'regular' }: { readonly size?: number; readonly weight?: Weight } = {}) {
      const style = () => doc.font(fonts[weight]).fontSize(size);
      const height = style().heightOfString(clean(text), { width: 515 });
      room(height + 2);
      style().text(clean(text), margin, y, { width: 515 });
      y += height + 2;
    },
    row(cells: readonly string[], weight: Weight = 'regular') {
      doc.font(fonts[weight]).fontSize(7);
      const texts = cells.map(clean);
      const height = Math.max(
        ...texts.map((text, index) => doc.heightOfString(text === '' ? ' ' : text, { width: widths[index]! - 4 })),
      );
      room(height + 3);
      doc.font(fonts[weight]).fontSize(7);
      let x = margin;
      for (const [index, text] of texts.entries()) {
        if (text !== '') doc.text(text, x, y, { width: widths[index]! - 4 });
        x += widths[index]!;
      }
      y += height + 3;
    },
    /** Lines to sign on, side by side. */
    signatures(captions: readonly string[]) {
      y += 30;
      room(30);
      for (const [index, text] of captions.entries()) {
        const x = margin + index * 265;
        doc
          .moveTo(x, y)
          .lineTo(x + 250, y)
          .lineWidth(0.5)
          .stroke();
        doc
          .font(fonts.regular)
          .fontSize(7)
          .text(text, x, y + 3, { width: 250 });
      }
      y += 20;
    },
  };
}

/** Directional and other invisible characters would turn the text around them. */
const clean = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '');

type SheetLine = ReturnType<typeof linesOf>[number];
type SheetWords = typeof german;

function cellsOf(line: SheetLine, words: SheetWords, language: string): readonly string[] {
  const { status } = line;
  const state = status === '' || status === 'recorded' || status === 'approved' ? '' : words.status[status];
  const deducted = line.deducted === undefined ? '' : `${words.deducted} ${duration(line.deducted)}`;
  return [
    line.worked === undefined ? '' : dayText(line.date, language),
    line.start,
    line.end,
    [line.breaks, deducted].filter((text) => text !== '').join(' '),
    line.worked === undefined ? '' : duration(line.worked),
    line.target === undefined ? '' : duration(line.target),
    [line.holiday, line.absence, state].filter((text) => text !== '').join(', '),
    line.stamps,
  ];
}

/** The sections below the days: each has a title and its texts. */
function sectionsOf(
  sheet: PresentedSheet,
  lines: readonly SheetLine[],
  words: SheetWords,
  language: string,
): readonly (readonly [string, readonly string[]])[] {
  const time = clockTime(sheet.time_zone);
  const onDays = (textsOf: (line: SheetLine) => readonly string[]) =>
    lines.flatMap((line) => textsOf(line).map((text) => `${dayText(line.date, language)} ${text}`));
  const signOffs = sheet.sign_offs.map(({ role, by, at, valid, changes }) => {
    const suffix = valid ? '' : ` – ${words.void} ${changes.map(({ date }) => date).join(', ')}`;
    return `${words.role[role]}: ${by.name}, ${time(at, '')}${suffix}`;
  });
  const reopenings = sheet.reopenings.map(({ at, by, reason = '' }) => `${time(at, '')} ${by}: ${reason}`);
  return [
    [words.warnings, onDays(({ warnings }) => warnings)],
    [words.corrections, onDays(({ corrections }) => corrections)],
    [words.signOffs, signOffs],
    ...(reopenings.length === 0 ? [] : [[words.reopenings, reopenings] as const]),
  ];
}

const days = {
  de: new Intl.DateTimeFormat('de-DE', { weekday: 'short', day: '2-digit', month: '2-digit', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: '2-digit', month: '2-digit', timeZone: 'UTC' }),
};
const dayText = (date: string, language: string) => inLanguage(language, days).format(new Date(`${date}T12:00:00Z`));

/** `8:05`, `-0:12`. */
function duration(minutes: number): string {
  const absoluteMinutes = Math.abs(minutes);
  return `${minutes < 0 ? '-' : ''}${Math.floor(absoluteMinutes / 60)}:${String(absoluteMinutes % 60).padStart(2, '0')}`;
}
