/** The screen at the door names pages of the web application as their navigation does. */
import { describe, expect, it } from '@jest/globals';

type Words = Readonly<Record<string, string>>;
const load = async <T>(file: string) => (await import(file)) as T;
const { words } = await load<{
  readonly words: Readonly<
    Record<'de' | 'en', { readonly compare: string; readonly unsure_text: readonly [string, string] }>
  >;
}>('../../../terminal-agent/web/src/words.js');
const { entrancesDe } = await load<{ readonly entrancesDe: Words }>('../../web/src/words/entrances.de.js');
const { entrancesEn } = await load<{ readonly entrancesEn: Words }>('../../web/src/words/entrances.en.js');
const { frameDe } = await load<{ readonly frameDe: Words }>('../../web/src/words/frame.de.js');
const { frameEn } = await load<{ readonly frameEn: Words }>('../../web/src/words/frame.en.js');

describe('page names at the door', () => {
  it.each([
    ['de', entrancesDe, frameDe],
    ['en', entrancesEn, frameEn],
  ] as const)('a page has the same name at the door and in the navigation, in %s', (language, entrances, frame) => {
    const door = words[language];
    expect(door.compare).toContain(`${entrances['entrances']} › ${entrances['terminals_title']}`);
    expect(door.unsure_text[1]).toContain(frame['nav_my_time']);
  });
});
