/** The order of names in lists, and the search for them, which finds all names that sort alike. Pure. */

/** Letters that are not a letter with a mark, as German and its neighbours sort them. */
const baseLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * A name as a database sorts it byte by byte and a reader expects it (DIN 5007-1): without case and marks, so that
 * Böttcher stands before Brandt; by last name, then first name.
 */
export function sortName({
  last_name,
  first_name,
}: {
  readonly last_name: string;
  readonly first_name: string;
}): string {
  // A tab sorts before blanks and letters: Lang before Lange, and before Lang Meyer.
  return [last_name, first_name].map(fold).join('\t');
}

/** The search text of a person: their name, address and personnel number, folded as {@link sortName}. */
export function searchText(
  person: Parameters<typeof sortName>[0] & { readonly email: string | null; readonly personnel_number: string | null },
): string {
  return [sortName(person), fold(person.email ?? ''), fold(person.personnel_number ?? '')].join('\t');
}

/** Databases fold letters differently, so both sides are folded here. @returns the words of a search, in any order */
export function searchWords(text: string): string[] {
  return fold(text)
    .split(/\s+/)
    .filter((word) => word !== '');
}

const fold = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{L}/gu, (letter) => baseLetters[letter] ?? letter);
