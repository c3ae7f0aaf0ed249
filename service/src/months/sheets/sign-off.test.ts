import { describe, expect, it } from '@jest/globals';
import { sheetWording } from './sheet-document.js';
import { changesBetween, contentOf, digestOf, obstacleTo, type SignedDay } from './sign-off.js';

const first: SignedDay = {
  date: '2026-10-01',
  worked: 480,
  paused: 30,
  target: 480,
  absences: [],
  entries: [[1, 2, '[]', 'counts']],
};
const second: SignedDay = { date: '2026-10-02', worked: 0, paused: 0, target: 0, absences: ['vacation'], entries: [] };
const of = { personId: 1, month: '2026-10' };
const digest = digestOf(of, contentOf([first, second]));

describe('the content of a sign-off', () => {
  it.each<[string, readonly SignedDay[], string[]]>([
    ['nothing', [first, second], []],
    ['the order of two halves of a day', [first, { ...second, absences: ['vacation'] }], []],
    ['a minute of work', [{ ...first, worked: 481 }, second], ['2026-10-01']],
    ['times that keep the minutes', [{ ...first, entries: [[2, 3, '[]', 'counts']] }, second], ['2026-10-01']],
    ['a break', [{ ...first, entries: [[1, 2, '[[1,2]]', 'counts']] }, second], ['2026-10-01']],
    ['the target', [{ ...first, target: 240 }, second], ['2026-10-01']],
    ['the kind of absence', [first, { ...second, absences: ['sickness'] }], ['2026-10-02']],
    [
      'an entry that awaits approval',
      [{ ...first, entries: [...first.entries, [5, 6, '[]', 'pending']] }, second],
      ['2026-10-01'],
    ],
    ['a day that is gone', [first], ['2026-10-02']],
  ])('the signed-off record differs by %s', (_, days, dates) => {
    const now = contentOf(days);
    expect(changesBetween(contentOf([first, second]), now).map(({ date }) => date)).toEqual(dates);
    expect(digestOf(of, now) === digest).toBe(dates.length === 0);
  });

  it('the signed-off record belongs to one person and one month', () => {
    const content = contentOf([first]);
    expect(
      new Set([of, { ...of, personId: 2 }, { ...of, month: '2026-11' }].map((subject) => digestOf(subject, content)))
        .size,
    ).toBe(3);
  });
});

describe('a sheet', () => {
  const sheet = { over: true, days: [first, second], digest, signOffs: [] };
  const signOffBy = (role: 'person' | 'approver', signedDigest = digest) => ({ role, digest: signedDigest });
  it.each([
    ['the person', 'person', sheet, undefined],
    ['the person, before the month is over', 'person', { ...sheet, over: false }, 'not_over'],
    [
      'the person, with an open entry',
      'person',
      { ...sheet, days: [{ ...first, entries: [[1, null, '[]', 'open']] }] },
      'open_entries',
    ],
    [
      'the person, with an entry that awaits approval',
      'person',
      { ...sheet, days: [{ ...first, entries: [[1, 2, '[]', 'pending']] }] },
      'open_entries',
    ],
    ['the person twice', 'person', { ...sheet, signOffs: [signOffBy('person')] }, 'already_signed'],
    [
      'the person again, once it has changed',
      'person',
      { ...sheet, signOffs: [signOffBy('person', 'other')] },
      undefined,
    ],
    ['the approver before the person', 'approver', sheet, 'person_first'],
    ['the approver after the person', 'approver', { ...sheet, signOffs: [signOffBy('person')] }, undefined],
    ['the approver after a change', 'approver', { ...sheet, signOffs: [signOffBy('person', 'other')] }, 'person_first'],
    [
      'the approver twice',
      'approver',
      { ...sheet, signOffs: [signOffBy('person'), signOffBy('approver')] },
      'already_signed',
    ],
    [
      'the person after a change that both had signed',
      'person',
      { ...sheet, signOffs: [signOffBy('person', 'other'), signOffBy('approver', 'other')] },
      undefined,
    ],
  ] as const)('a sheet is signed off by %s: %s', (_, role, of, obstacle) => {
    expect(obstacleTo(role, of as never)).toBe(obstacle);
  });

  it.each([
    ['de', '11:52 Pause, Webanwendung', '07:23 Kommen, Karte Halle 2 (nachgewiesen)', 'gestrichen'],
    ['en', '11:52 Break, web application', '07:23 In, badge Halle 2 (proven)', 'struck out'],
  ])('the sign-off is in words on the printed sheet in %s', (language, pause, badge, change) => {
    const wording = sheetWording(language);
    const at = '2026-10-26T06:23:00Z';
    expect(wording.stamp({ action: 'break_start', at, source: { kind: 'web' } }, '11:52')).toBe(pause);
    expect(
      wording.stamp({ action: 'in', at, source: { kind: 'terminal', name: 'Halle 2' }, proof: 'badge' }, '07:23'),
    ).toBe(badge);
    expect(wording.change('struck_out')).toBe(change);
  });
});
