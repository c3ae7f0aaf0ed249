/** The demo's terminal with its simulated reader, and the cards that are held to it. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../src/service.js';
import type { CompanyId, PersonId } from '../src/store/ids.js';
import { companyCardKey, markBadgeBlocked, uidHash } from '../src/terminals/badges/badges.js';
import { findBadge } from '../src/terminals/badges/rows.js';
import { badgeKey } from '../src/terminals/cards/diversify.js';
import { startIssuing } from '../src/terminals/issuing.js';
import { confirmTerminal, issuePairingCode } from '../src/terminals/pairing.js';
import { findTerminal } from '../src/terminals/rows.js';
import { type Holder, system } from './company.js';
import type { Ports } from './options.js';
import { type Running, start } from './processes.js';
import { repository } from './programs.js';
import { json } from './stage/anchoring.js';
import type { Door } from './stage/scene.js';
import type { TargetBadge, TargetTerminal } from './target.js';

/** The terminal's program on this machine. */
export interface TerminalProgram {
  readonly readerUrl: string;
  readonly stateFolder: string;
  readonly cardsFolder: string;
  /**
   * @param name in messages
   * @param args its command
   */
  start(name: string, args: readonly string[]): Running;
}

type Card = Pick<Holder, 'card' | 'uid' | 'family'>;

export function terminalProgram(data: string, ports: Ports): TerminalProgram {
  const [stateFolder, cardsFolder] = [join(data, 'terminal'), join(data, 'cards')];
  const script = join(repository, 'terminal-agent/dist/src/main.js');
  const env = {
    SERVICE_URL: `http://127.0.0.1:${ports.service}`,
    STATE_DIR: stateFolder,
    CARDS_DIR: cardsFolder,
    READER: 'simulated',
    SIMULATOR_PORT: String(ports.reader),
    TIME_ZONE: 'Europe/Berlin',
  };
  return {
    readerUrl: `http://127.0.0.1:${ports.reader}`,
    stateFolder,
    cardsFolder,
    start: (name, args) => start(name, script, args, env, join(data, 'terminal.log')),
  };
}

/** @returns the code it was paired with, and the fingerprint that both sides show */
export async function pairTerminal(
  { store, db, hashPairingCode }: Service,
  { id, company_id: companyId }: TargetTerminal,
  program: TerminalProgram,
): Promise<{ readonly code: string; readonly fingerprint: string }> {
  const code = await store.write({ actor: system, at: Date.now() }, (write) =>
    issuePairingCode(write, id, companyId, randomBytes, hashPairingCode),
  );
  const pairing = program.start('pairing', ['pair', code]);
  const fingerprint = (await pairing.line(/^Fingerprint: (\S+)/))[1]!;
  const onThePage = (await findTerminal(db, id))!.fingerprint;
  if (fingerprint !== onThePage) throw new Error(`the terminal shows ${fingerprint}, its page ${String(onThePage)}`);
  await store.write({ actor: system, at: Date.now() }, (write) => confirmTerminal(write, id, companyId, fingerprint));
  await pairing.line(/^Confirmed: /);
  await pairing.stop();
  return { code, fingerprint };
}

/**
 * The terminal's key in the form for tools, base64 of the 32-byte seed: the terminal keeps it in the same form. Only
 * the demo may look into a terminal's folder.
 */
export function seedOf({ stateFolder }: TerminalProgram): string {
  return readFileSync(join(stateFolder, 'terminal.key'), 'utf8').trim();
}

/** A badge of its own for a person, issued at the door. */
export async function issueBadge(
  service: Service,
  terminal: TargetTerminal,
  program: TerminalProgram,
  holder: Holder,
): Promise<TargetBadge> {
  await makeCard(program, holder);
  const person = { id: holder.userId, company_id: terminal.company_id };
  await service.store.write({ actor: system, at: Date.now() }, (write) => startIssuing(write, terminal.id, person));
  await present(program.readerUrl, holder.card, 'issued');
  await remove(program.readerUrl);
  return badgeOf(service, terminal.company_id, holder);
}

async function makeCard(program: TerminalProgram, { card, uid, family }: Card): Promise<void> {
  if (hasCard(program, card)) return;
  const kind = family === 'desfire' ? 'desfire-ev3' : 'ntag424';
  const maker = program.start('new card', ['new-card', '--name', card, '--family', kind, '--uid', uid]);
  await maker.line(/^UID: /);
  await maker.stop();
}

const hasCard = ({ cardsFolder }: TerminalProgram, card: string) => existsSync(join(cardsFolder, `${card}.json`));

async function badgeOf({ db, dataKey }: Service, companyId: CompanyId, { userId, uid }: Holder): Promise<TargetBadge> {
  const bytes = Buffer.from(uid, 'hex');
  const row = (await findBadge(db, companyId, uidHash(dataKey!, companyId, bytes)))!;
  const key = badgeKey(await companyCardKey(db, dataKey!, companyId, row.key_version), {
    uid: bytes,
    aid: Buffer.from(row.aid!, 'hex'),
    keyNumber: row.key_number,
  });
  return {
    id: row.id,
    user_id: userId,
    uid,
    family: row.family!,
    aid: row.aid!,
    key_number: row.key_number,
    key: Buffer.from(key).toString('hex'),
  };
}

/** Jana's number without her key, a blocked badge, an unknown card; and Jana's badge with each fault. */
export async function prepareTricks(
  service: Service,
  terminal: TargetTerminal,
  program: TerminalProgram,
  jana: Holder,
  tariq: PersonId,
): Promise<Door['tricks']> {
  const { uid, family, card: ownCard } = jana;
  const blockedCard = { card: 'blocked', uid: '049e3c71b54f80', family: 'ntag424', userId: tariq } as const;
  await makeCard(program, { card: 'copied', uid, family });
  await makeCard(program, { card: 'foreign', uid: '0455d0aa137e80', family });
  if (!hasCard(program, blockedCard.card)) {
    const { id } = await issueBadge(service, terminal, program, blockedCard);
    await service.store.write({ actor: system, at: Date.now() }, (write) =>
      markBadgeBlocked(write, id, terminal.company_id),
    );
  }
  return [
    { card: 'copied', trick: 'copied' },
    { card: 'blocked', trick: 'blocked' },
    { card: 'foreign', trick: 'foreign' },
    { card: ownCard, trick: 'replayed', fault: 'replay' },
    { card: ownCard, trick: 'phone', fault: 'random-uid' },
    { card: ownCard, trick: 'short', fault: 'gone:3' },
    { card: ownCard, trick: 'wrong_key', fault: 'wrong-key' },
    { card: ownCard, trick: 'factory', fault: 'factory' },
    { card: ownCard, trick: 'torn', fault: 'torn:3' },
    { card: ownCard, trick: 'aborted', fault: '91ca:3' },
    // Longer than a command may take.
    { card: ownCard, trick: 'slow', fault: 'slow:3:5200' },
    { card: ownCard, trick: 'relayed', fault: 'relayed:150', stamps: true },
  ];
}

/** The service takes no stamp of this card, with the text that the person at the door reads. */
export class CardRefused extends Error {}

/** Holds a card to the simulated reader and waits for the text that the person at the door reads. */
export async function present(readerUrl: string, card: string, expected: string): Promise<Record<string, unknown>> {
  const outcome = (await json(`${readerUrl}/`, { present: card, wait: true })) as Record<string, unknown>;
  if (outcome['outcome'] === 'refused' && expected === 'stamped') throw new CardRefused(String(outcome['text']));
  if (outcome['outcome'] !== expected && outcome['kind'] !== expected)
    throw new Error(`the card »${card}«: ${JSON.stringify(outcome)}`);
  return outcome;
}

export async function remove(readerUrl: string): Promise<void> {
  await json(`${readerUrl}/`, { remove: true });
}
