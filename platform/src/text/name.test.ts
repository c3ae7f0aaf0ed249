import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparableName, isName, isNote, normalizeName } from './name.js';

describe('a name', () => {
  it.each([
    ['of plain letters', 'Maren Claasen'],
    ['with an apostrophe and a hyphen', "Zoë d'Aubigné-O’Brien"],
    ['written from right to left', 'שרה כהן'],
    ['in Arabic letters', 'محمد الأمين'],
    ['with ZWNJ between Persian letters', 'علی‌رضا'],
    ['with ZWJ behind a virama', 'ක්‍රිස්'],
    ['of a family of pictographs', 'Team 👩‍👩‍👧‍👦'],
    ['with an astronaut of a skin colour', '🧑🏽‍🚀 Raumfahrt'],
    ['with a heart that is a picture', 'Herz ❤️‍🔥'],
    ['with the flag of a region', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Edinburgh'],
    ['with a variant of a Japanese character', '葛\u{E0100}城'],
    ['with a keycap', 'Tor 1️⃣'],
  ])('%s is a name', (_, text) => expect(isName(text)).toBe(true));

  it.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a line feed', 'Ada\nLang'],
    ['a tab', 'Ada\tLang'],
    ['a bell', 'Ada\u0007'],
    ['a C1 control', 'Ada\u0085Lang'],
    ['a line separator', 'Ada\u2028Lang'],
    ['a turn of direction', '\u202eanaJ'],
    ['an isolate', '\u2066Jana\u2069'],
    ['a mark of direction', 'Jana\u200f'],
    ['a zero-width space', 'Ja\u200bna'],
    ['a word joiner', 'Ja\u2060na'],
    ['a byte order mark', '\ufeffJana'],
    ['a soft hyphen', 'Ja\u00adna'],
    ['ZWJ between Latin letters', 'Ja\u200dna'],
    ['ZWJ at the end', 'Jana\u200d'],
    ['ZWJ behind a pictograph and before a letter', '👩\u200dJana'],
    ['ZWNJ between Latin letters', 'Ja\u200cna'],
    ['tags without a flag', 'Jana\u{E0041}\u{E007F}'],
    ['an open flag', '🏴\u{E0067}\u{E0062}'],
    ['a Hangul filler', '\u3164'],
    ['a grapheme joiner', 'Ja\u034fna'],
    ['a variant of nothing', ' \ufe0f'],
    ['two variants', 'a\ufe0f\ufe0f'],
    ['a mark without a letter', '\u0301'],
    ['an empty Braille cell', '\u2800'],
    ['private use', 'Jana \ue000'],
    ['half a surrogate pair', 'Jana \ud83d'],
    ['a non-character', 'Jana \uffff'],
  ])('%s is no name', (_, text) => expect(isName(text)).toBe(false));

  it('a name is stored composed, with single blanks', () => {
    expect(normalizeName('  Zoe\u0308 \u00a0 \u3000Weit ')).toBe('Zo\u00eb Weit');
  });

  it('a normalised name is unchanged by normalising it again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        const normalName = normalizeName(text);
        expect(normalizeName(normalName)).toBe(normalName);
        expect(isName(text)).toBe(isName(normalName));
        expect(normalName).not.toMatch(/^\p{Zs}|\p{Zs}$|\p{Zs}\p{Zs}/u);
      }),
      { seed: 24, numRuns: 2_000 },
    );
  });

  it('a name never has a character that turns text around or controls a terminal', () => {
    const steering = fc.constantFrom(
      '\u202a',
      '\u202e',
      '\u2066',
      '\u2069',
      '\u200e',
      '\u061c',
      '\u001b',
      '\u009b',
      '\u2029',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        steering,
        fc.string({ unit: 'grapheme' }),
        (head, character, tail) => {
          expect(isName(normalizeName(head + character + tail))).toBe(false);
        },
      ),
      { seed: 24, numRuns: 500 },
    );
  });

  it.each([
    ['case', 'Schichtplan', 'SCHICHTPLAN'],
    ['ß and ss', 'Straße', 'STRASSE'],
    ['the final sigma', 'ΟΔΟΣ', 'οδος'],
    ['width', 'Planner', 'Ｐｌａｎｎｅｒ'],
    ['a ligature', 'office', 'oﬃce'],
    ['composition', 'Zoë', 'Zoe\u0308'],
    ['blanks', 'Nord Licht', 'Nord\u3000 Licht '],
    ['a variant', 'Herz ❤️', 'Herz ❤'],
    ['an invisible character', 'Planner', 'Plan\u200bner'],
  ])('names ignore %s', (_, name, otherName) => expect(comparableName(name)).toBe(comparableName(otherName)));

  it('names differ by letters and accents', () => {
    expect(comparableName('Müller')).not.toBe(comparableName('Muller'));
  });
});

describe('a note', () => {
  it.each(['Late train', '„Bahn“\nausgefallen', '.', '👍', 'Ja\u200bna', '\u202ebecause'])(
    'the note %j has text',
    (text) => expect(isNote(text)).toBe(true),
  );
  it.each(['', ' ', '\u00a0', '\u200b', ' \n\t', '\u3164', '\u2800', '\u00ad', '\u202e\u2066', '\u0301'])(
    'the note %j is empty',
    (text) => expect(isNote(text)).toBe(false),
  );
});
