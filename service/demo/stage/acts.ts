/** The page's actions: a card is held to the reader, the root of the events is anchored. */
import { type Anchoring, anchor, json } from './anchoring.js';
import type { Play } from './play.js';
import type { Door, Phone } from './scene.js';

export interface ActNeeds {
  readonly tell: () => void;
  /** Reads the views of phone and supervisor again. */
  readonly refresh: () => Promise<unknown>;
}

/** @param kind of the trick, if it is one */
export async function presentCard(
  play: Play,
  readerUrl: string,
  { card, kind }: { readonly card: string; readonly kind: string | undefined },
  { tell, refresh }: ActNeeds,
): Promise<void> {
  if (play.door.held !== undefined) return;
  const trick = play.door.tricks.find((trick) => trick.trick === kind);
  const { last: _, ...empty } = play.door;
  play.door = { ...empty, held: card };
  delete play.stamp;
  const isSound = trick === undefined || trick.stamps === true;
  const badge = isSound ? play.door.badges.find((badge) => badge.card === card) : undefined;
  if (badge !== undefined && badge.person_id !== play.followed) {
    play.followed = badge.person_id;
    await refresh();
  }
  play.presentedAt = Date.now();
  if (badge !== undefined) play.stamp = { person_id: badge.person_id, door: 0 };
  tell();
  const outcome = (await json(`${readerUrl}/`, {
    present: card,
    ...(badge === undefined ? {} : { action: nextAction(play.phone!) }),
    ...(trick?.fault === undefined ? {} : { fault: trick.fault }),
    wait: true,
    // The reader has no earlier answer to repeat.
  }).catch(() => ({ outcome: 'not held' }))) as Record<string, string>;
  if (outcome['outcome'] === 'stamped' && play.stamp !== undefined)
    play.stamp = { ...play.stamp, door: Date.now() - play.presentedAt };
  else delete play.stamp;
  play.door = { ...play.door, last: lastOf(card, trick?.trick, outcome) };
  tell();
  await json(`${readerUrl}/`, { remove: true });
  const { held: __, ...free } = play.door;
  play.door = free;
  tell();
}

/** In, a break, its end, out: four badges tell a whole day. */
function nextAction({ state, stamps }: Phone): string {
  if (state === 'out') return 'in';
  if (state === 'on_break') return 'break_end';
  return stamps[0]?.action === 'break_end' ? 'out' : 'break_start';
}

function lastOf(
  card: string,
  trick: string | undefined,
  outcome: Readonly<Record<string, string>>,
): NonNullable<Door['last']> {
  const hasStamped = outcome['outcome'] === 'stamped';
  return {
    card,
    ...(trick === undefined ? {} : { trick }),
    outcome: hasStamped ? 'stamped' : outcome['outcome'] === 'refused' ? 'refused' : 'nothing',
    at: new Date().toISOString(),
    text: outcome['text'] ?? '',
    ...(hasStamped ? { first_name: outcome['first_name'] ?? '', action: outcome['action'] ?? '' } : {}),
  };
}

export async function anchorEvents(play: Play, anchoring: Anchoring, tell: () => void): Promise<void> {
  const { events } = play;
  if (play.developer.anchoring || events.length === 0) return;
  play.developer = { ...play.developer, anchoring: true };
  tell();
  const { proof, root, verdict } = await anchor(anchoring, events, new Date().toISOString());
  play.developer = {
    ...play.developer,
    anchoring: false,
    proof: { root, tx: proof.tx, verdict, events: events.length, up_to: events.at(-1)!.sequence },
  };
  tell();
}
