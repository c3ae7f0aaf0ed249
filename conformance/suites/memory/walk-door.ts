/** At a terminal: two people with their badges, their balances and PINs, and what was stamped without a connection. */
import type { Answer } from '../../kit/client.js';
import type { Company, Person, World } from '../../kit/world.js';
import { Parrot } from '../../peers/card.js';
import { offline } from '../support.js';

export type Keep = (asked: Promise<Answer>) => Promise<Answer>;
const actions = ['in', 'out', 'break_start', 'break_end'] as const;

/** A badge that stamps, asks and gets its PIN wrong. @param turn counts the visits */
export async function visitTheDoor(
  world: World,
  keep: Keep,
  random: (below: number) => number,
  turn: number,
): Promise<void> {
  const { card, person } = await world.badge(turn % 2 === 0 ? 'ntag424' : 'desfire');
  const terminal = await world.terminal({ show_info: true });
  const session = (await keep(terminal.hold(card))).get('session');
  if (typeof session !== 'string') return;
  const send = (path: string, body: object) =>
    keep(terminal.send('POST', `/api/v1/terminal/${path}`, { session, ...body }));
  for (const pin of ['999999', '999998', '012345']) await send('info', { pin });
  await send('stamp', { action: actions[random(actions.length)] });
  await send('info', { pin: '012345' });
  await send('session/end', {});
  for (const action of ['in', 'break_start', 'break_end'] as const) await keep(terminal.stamp(card, action));
  await keep(terminal.hold(new Parrot('04aabbccddeeff', [])));
  await keep(terminal.status());
  await world.fixtures.showTerminal(terminal.id);
  const today = (await world.company()).today();
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
  const { api } = await world.extension();
  for (const path of [
    `clock/states?`,
    `time/entries?from=${yesterday}&to=${today}&`,
    `time/balances?date=${yesterday}&`,
  ])
    await keep(api.get(`/api/v1/${path}user_id=${person.id}`));
}

/** Each stamp twice at a terminal that takes the second for the first. */
export async function stampTwice(world: World, keep: Keep, person: Person, company: Company): Promise<void> {
  const terminal = await world.newTerminal({ company_id: company.id, repeat_lock_seconds: 120, badge_and_pin: false });
  const card = await world.issue(terminal, person, 'desfire');
  for (const action of ['in', 'out', 'break_start', 'break_end']) await keep(terminal.stamp(card, action));
  await keep(terminal.status());
  await world.fixtures.showTerminal(terminal.id);
}

/** Coming and going without a connection, uploaded twice. */
export async function stampOffline(world: World, keep: Keep, person: Person, company: Company): Promise<void> {
  const terminal = await world.newTerminal({ company_id: company.id });
  const card = await world.issue(terminal, person, 'ntag424');
  const from = Math.floor(Date.now() / 1_000) * 1_000;
  const stamp = (number: number, action: string, seconds: number) => ({
    number,
    uid: card.uid,
    action,
    at: `${new Date(from + seconds * 1_000).toISOString().slice(0, 19)}Z`,
  });
  await keep(terminal.status());
  const stamps = [stamp(1, 'in', 0), stamp(2, 'out', 30)];
  for (const sent of [stamps, stamps, [stamp(3, 'in', 40), stamp(4, 'out', 50)]]) {
    await keep(offline(terminal, sent));
    await keep(terminal.status());
  }
}

/** A badge that its person blocks is held once more, and then a card that nobody knows. */
export async function blockBadge(world: World, keep: Keep): Promise<void> {
  const person = await world.signedIn(5);
  const terminal = await world.newTerminal();
  const card = await world.issue(terminal, person, 'ntag424');
  await keep(terminal.stamp(card, 'in'));
  await world.fixtures.listBadges(person.session);
  await world.fixtures.blockBadges(person.session);
  await keep(terminal.hold(card));
  await keep(terminal.hold(new Parrot('04ddeeffaabbcc', [])));
}
