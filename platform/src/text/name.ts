/**
 * The one rule for names: of people, companies, departments, kinds of absence, extensions, terminals and places. People
 * recognise things by their names, so a name is one line, hides nothing and turns nothing around (Unicode UTS #39).
 * In the contract such a text has `format: name`; it is normalised before a handler sees it.
 */

/** A name as it is stored and measured: composed (NFC), one blank for each run of blanks, none around it. */
export function normalizeName(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .replace(/^ | $/g, '');
}

/** Control characters, line and paragraph separators, lone surrogates, private use and non-characters. */
const unreadable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}]/u;

/** A flag of a region: a black flag spelled out in tags (UTS #51, ED-14a). */
const flag = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}/gu;
/** ZWJ between pictographs (UTS #51, ED-16). */
const joinedPictographs =
  /(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})/gu;
/** ZWJ and ZWNJ between letters of scripts that join them (RFC 5892, appendix A.1 and A.2, by script). */
const joiningLetter =
  '[[\\p{L}\\p{M}]&&[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Nkoo}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}]]';
const joinedLetters = new RegExp(`(?<=${joiningLetter})[\\u200C\\u200D](?=${joiningLetter})`, 'gv');
/** A variant of the visible character before it: pictures, and characters of Japanese names. */
const variants = /(?<=[\p{L}\p{N}\p{P}\p{S}])(?:[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])/gu;
/** Everything else that has no shape of its own: turns of direction, joiners, fillers, soft hyphens, tags. */
const hiddenCharacter = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** U+2800 is a symbol without a dot. */
const visibleCharacter = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** True if a text can be a name, length aside. */
export function isName(text: string): boolean {
  if (unreadable.test(text)) return false;
  if (/^[\x20-\x7e]*$/.test(text)) return text.trim() !== '';
  const remainder = text
    .replace(flag, '\u{1F3F4}')
    .replace(variants, '')
    .replace(joinedPictographs, '')
    .replace(joinedLetters, '');
  return !hiddenCharacter.test(remainder) && visibleCharacter.test(remainder);
}

/**
 * True if a text between people says anything: a reason is a safeguard, so blanks of every kind and characters without
 * a shape are none. In the contract such a text has `format: note`.
 */
export function isNote(text: string): boolean {
  return visibleCharacter.test(text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''));
}

/** Equal for names that differ only in case, width, composition, blanks and variants. Names are unique by this text. */
export function comparableName(name: string): string {
  const foldedName = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return normalizeName(foldedName.replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}
