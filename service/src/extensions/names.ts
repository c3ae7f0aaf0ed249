/**
 * Names of extensions. People read one when they decide about a link, so none may look like another or hide what it
 * says.
 */

/**
 * A name as it is stored: composed (NFC), one blank for every run of blanks, none around it.
 * @returns undefined where nothing visible is left, or something in it is a control or format character (Unicode Cc,
 * Cf: line breaks, turns of direction, zero-width
 *   characters) or separates lines
 */
export function readExtensionName(text: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) return undefined;
  const name = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  return comparedName(name) === '' ? undefined : name;
}

/** What two names have in common that look the same but for case, width and characters without a shape. */
export function comparedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
